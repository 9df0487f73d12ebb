"""Who answered like whom: predictions between participants, pools of them, maps of each."""

from tripletscope.core.observers.floor import Floor, answers_needed, floor_of
from tripletscope.core.observers.groups import GroupErrors, errors_by_group, groups_of
from tripletscope.core.observers.maps import ObserverMaps, observer_maps
from tripletscope.core.observers.predictions import (
    PoolingCurve,
    Predictions,
    pooling_curve,
    who_predicts_whom,
)
