from .item import Observation as Observation
from .outcome import Outcome as Outcome
from .outcome import rebuild as rebuild
from .verdict import Conclusion as Conclusion
