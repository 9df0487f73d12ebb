"""Tables of objects and pictures, and how they find their objects."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from tests.core.reading.test_hostile import zipped
from tests.paths import FIXTURES, ROOT
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import (
    Reading,
    attach_objects,
    attach_pictures,
    can_be_kept,
    load,
    propose,
    read_objects,
    read_pictures,
)
from tripletscope.core.reading.objects.feature_tables import features_of, read_features
from tripletscope.core.reading.objects.pictures import MAX_SIDE
from tripletscope.core.studies.quality.importing import read

EGGS = ROOT / "sample_data" / "alien_eggs"
SALMON = FIXTURES / "formats" / "salmon_responses.csv"

FRUIT = read(b"anchor,near,far\napple,pear,car\ncar,apple,pear\n")


def png(color: str = "red", size: tuple[int, int] = (30, 15), mode: str = "RGB") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, color).convert(mode).save(buffer, "PNG")
    return buffer.getvalue()


# Tables


def test_eggs_have_an_object_column():
    objects = read_objects(EGGS / "objects.csv")
    assert len(objects) == 300
    assert objects.columns[:2].tolist() == ["id", "label"]
    assert objects["id"][0] == "i0002"
    assert objects["spikiness"].dtype.kind == "i"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("i0002\ni0004\n", ["i0002", "i0004"]),
        ("apple\npear\ncar\n", ["apple", "pear", "car"]),
        ("name\napple\npear\n", ["apple", "pear"]),
        ("kind;stimulus\nfruit;apple\nfruit;pear\n", ["apple", "pear"]),
        ("kind,word\nfruit,apple\nfruit,pear\n", ["apple", "pear"]),
        ("id,name\n1,apple\n2,apple\n", ["1", "2"]),
        ("name,id\napple,1\npear,2\n", ["1", "2"]),
    ],
)
def test_column_of_ids(text, ids):
    assert read_objects(text.encode())["id"].tolist() == ids


def test_column_of_ids_can_be_given():
    text = b"id,name\n1,apple\n2,pear\n"
    objects = read_objects(text, "name")
    assert objects["id"].tolist() == ["apple", "pear"]
    with pytest.raises(DataError, match="no column 'x'"):
        read_objects(text, "x")


def test_header_can_be_given():
    assert read_objects(b"thing\npear\n", header=True)["id"].tolist() == ["pear"]
    assert read_objects(b"name,kind\npear,fruit\n", header=False)["id"].tolist() == ["name", "pear"]


def test_columns_have_sensible_types():
    text = (
        "id,label,size,weight,kind,remark,image\n"
        "a,Apple,1,1.5,fruit,one,img/A.png\n"
        "b,,2,,fruit,two,<img src='/x/b.png'/>\n"
        "c,Car,3,2.5,thing,three,\n"
        "d,Dog,4,0,thing,,d.png\n"
    )
    objects = read_objects(text.encode())
    assert objects["label"].tolist() == ["Apple", "b", "Car", "Dog"]
    assert objects["size"].tolist() == [1, 2, 3, 4]
    assert objects["size"].dtype == np.int64
    assert objects["weight"].isna().tolist() == [False, True, False, False]
    assert objects["kind"].dtype == "category"
    assert objects["remark"].dtype == "str"
    assert objects["image"].tolist()[:2] == ["A.png", "b.png"]
    assert pd.isna(objects["image"][2])


def test_file_names_as_ids():
    objects = read_objects(b"file\nimg/a.png\nimg/b.png\n")
    assert objects["id"].tolist() == ["img/a.png", "img/b.png"]
    assert objects["label"].tolist() == ["a", "b"]
    assert objects["image"].tolist() == ["a.png", "b.png"]


@pytest.mark.parametrize(
    ("text", "message", "row"),
    [
        ("kind,size\nfruit,1\nfruit,1\n", "none identifies the objects", None),
        ("id,size\na,1\nb,2\na,3\n", "'a' is listed twice", 4),
        ("id,size\na,1\n\n,2\n", "no id", 4),
    ],
)
def test_tables_that_do_not_identify_objects(text, message, row):
    with pytest.raises(DataError, match=message) as raised:
        read_objects(text.encode(), "id" if row else None)
    assert raised.value.row == row


@pytest.mark.parametrize(("text", "message"), [
    ("id,size\na,1\nb,2\na,3\n", "o.csv, row 4: object 'a' is listed twice"),
    ("id,size\na,1\n,2\n", "o.csv, row 3: an object has no id"),
])
def test_flaws_of_a_column_called_id_are_told(text, message):
    with pytest.raises(DataError) as raised:
        read_objects(text.encode(), name="o.csv")
    assert message in str(raised.value)


@pytest.mark.parametrize(("labels", "others", "names", "classes"), [
    ("cat dog cat dog cat", "", "a b c d e", ("class", "cat dog cat dog cat")),
    ("cat dog cat dog cat", ",class", "a b c d e", ("label (2)", "cat dog cat dog cat")),
    ("cat dog cat dog cat", ",name", "n0 n1 n2 n3 n4", ("class", "cat dog cat dog cat")),
    ("bank bank tree cup mug", "", "bank bank tree cup mug", None),
    ("cat dog", "", "cat dog", None),
])
def test_labels_of_classes_are_a_column_and_no_names(labels, others, names, classes):
    """Of 120 pictures, every one was called cat, dog or tree, and no page knew their classes."""
    further = {"": "", ",class": ",x", ",name": ",n{k}"}[others]
    rows = (f"{'abcde'[k]},{label}{further.format(k=k)}" for k, label in enumerate(labels.split()))
    objects = read_objects("\n".join([f"id,label{others}", *rows]).encode())
    assert objects["label"].tolist() == names.split()
    if classes is None:
        assert "class" not in objects
    else:
        assert objects[classes[0]].tolist() == classes[1].split()


def test_decimal_commas_are_numbers():
    objects = read_objects(b"id;size;code\na;1,5;1,2,3\nb;-0,25;4\n")
    assert objects["size"].tolist() == [1.5, -0.25]
    assert objects["code"].tolist() == ["1,2,3", "4"]
    assert read_objects(b'id,size\na,"1,5"\nb,"2,5"\n')["size"].tolist() == ["1,5", "2,5"]


def test_attach_objects_reports_both_sides():
    table = pd.DataFrame({"id": ["Apple", "car", "dog"], "alive": ["yes", "no", "yes"]})
    triplets, report = attach_objects(FRUIT, table)
    assert triplets.ids == ["apple", "car", "pear"]
    assert triplets.objects["alive"].tolist()[:2] == ["yes", "no"]
    assert (report.n_matched, report.missing, report.unused) == (2, ["pear"], ["dog"])
    assert any("pear" in line for line in report.summary())
    assert (triplets.rows == FRUIT.rows).all()


def test_attach_objects_can_add_those_never_asked_about():
    table = pd.DataFrame({"id": ["apple", "car", "dog"], "size": [1, 2, 3]})
    triplets, report = attach_objects(FRUIT, table, add=True)
    assert triplets.ids == ["apple", "car", "pear", "dog"]
    assert report.added == ["dog"]
    assert report.unused == []
    assert triplets.answers_per_object.tolist() == [2, 2, 2, 0]


def test_attach_objects_keeps_what_is_known():
    salmon = read(SALMON)
    table = pd.DataFrame({"object": [f"i{i:04}" for i in range(0, 600, 2)], "size": range(300)})
    triplets, report = attach_objects(salmon, table)
    assert report.missing == []
    assert triplets.labels == salmon.labels
    assert triplets.objects["image"].tolist() == salmon.objects["image"].tolist()
    assert [f"i{2 * size:04}" for size in triplets.objects["size"]] == salmon.labels


def test_attach_objects_does_not_shift_numbers():
    numbered = Triplets.from_array([[0, 1, 2]])
    names = pd.DataFrame({"id": ["a", "b", "c"], "size": [10, 20, 30]})
    with pytest.raises(DataError, match="Counting from 0 fits"):
        attach_objects(numbered, names)
    triplets, _ = attach_objects(numbered, names, index_base=0)
    assert triplets.labels == ["a", "b", "c"]
    _, report = attach_objects(numbered, names, index_base=1)
    assert report.missing == ["0"]
    with pytest.raises(DataError, match="is not a number"):
        attach_objects(FRUIT, names, index_base=0)
    with pytest.raises(DataError, match="None of the objects"):
        attach_objects(FRUIT, names)


# Pictures


def test_eggs_find_their_pictures():
    pictures = read_pictures(EGGS / "images")
    assert len(pictures) == 30
    triplets, report = attach_pictures(read(EGGS / "responses.csv"), pictures)
    assert report.n_matched == 30
    assert len(report.missing) == 270
    shown = triplets.objects.dropna(subset=["image"])
    assert (shown["image"] == shown["id"] + ".png").all()
    assert set(shown["image"]) == set(pictures)


def test_pictures_from_zip_and_pairs():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("set/Apple.PNG", png())
        archive.writestr("__MACOSX/set/._Apple.PNG", b"junk")
        archive.writestr("set/drawing.svg", b"<svg/>")
        archive.writestr("set/notes.txt", b"hello")
        archive.writestr("other/Apple.PNG", png("blue"))
        archive.writestr("set/torn.png", png()[:-30])
        archive.writestr("set/fake.jpg", b"hello")
    pictures = read_pictures(buffer.getvalue())
    assert list(pictures) == ["Apple.PNG"]
    assert {name: text.split()[0] for name, text in pictures.refused.items()} == {
        "set/drawing.svg": "SVG", "set/notes.txt": "not", "other/Apple.PNG": "another",
        "set/torn.png": "damaged", "set/fake.jpg": "not",
    }
    triplets, report = attach_pictures(FRUIT, read_pictures([
        ("stimuli\\apple.png", png()), ("spare.gif", png()), ("car.png", png()),
    ]))
    assert triplets.objects["image"].tolist()[:2] == ["apple.png", "car.png"]
    assert (report.missing, report.unused) == (["pear"], ["spare.gif"])


def test_pictures_by_tag_and_by_label():
    objects = pd.DataFrame({
        "id": ["0", "1", "2"], "label": ["a", "b", "c"],
        "image": ["<img src='/static/X.png' />", None, "gone.png"],
    })
    triplets = Triplets([[0, 1, 2]], objects)
    pictures = read_pictures([("x.png", png()), ("B.png", png())])
    attached, report = attach_pictures(triplets, pictures)
    assert attached.objects["image"].tolist() == ["x.png", "B.png", "gone.png"]
    assert report.missing == ["2"]


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "1", "RGBA", "I;16"])
def test_thumbnails_keep_the_aspect(mode):
    image = Image.new(mode, (200, 100))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    pictures = read_pictures([("wide.png", buffer.getvalue())])
    small = Image.open(io.BytesIO(pictures.thumbnail("wide.png", 50)))
    assert (small.format, small.size) == ("PNG", (50, 25))


def test_a_single_picture_is_enough():
    upload = io.BytesIO(png())
    upload.name = "egg.png"
    assert list(read_pictures(upload)) == ["egg.png"]


@pytest.mark.parametrize("tag", [
    '<img src="faces/my cat.png" width=3>', "<IMG alt='a' src='http://x.org/my%20cat.png?v=2'>",
    "<img src=my%20cat.png>",
])
def test_pictures_of_tags_may_have_spaces_in_their_names(tag):
    answers = Triplets([[0, 1, 2]], pd.DataFrame({"id": [tag, "b", "c"]}))
    changed, report = attach_pictures(answers, read_pictures([("my cat.png", png())]))
    assert changed.objects["image"][0] == "my cat.png"
    assert report.n_matched == 1


def test_names_match_however_their_accents_are_written():
    composed, apart = "\u00e9t\u00e9", "e\u0301te\u0301"  # as Windows and as macOS write it
    answers = Triplets([[0, 1, 2]], pd.DataFrame({"id": [composed, "b", "c"]}))
    changed, _ = attach_pictures(answers, read_pictures([(f"{apart}.png", png())]))
    assert changed.objects["image"][0] == f"{apart}.png"
    described = pd.DataFrame({"id": [apart, "b", "c"], "kind": ["x", "y", "y"]})
    changed, report = attach_objects(answers, described)
    assert report.n_matched == 3
    assert changed.objects["kind"].tolist() == ["x", "y", "y"]


def test_numbers_with_a_fraction_of_zero_are_the_same_objects():
    objects = pd.DataFrame({"id": ["7.0", "8.0", "9.0"], "kind": ["x", "y", "y"]})
    found = read(b"anchor,near,far\n7.0,8.0,9.0\n9,8,7\n", objects=objects)
    assert found.ids == ["7", "8", "9"]
    assert len(found) == 2


# Sizes of pictures


def test_large_pictures_are_shrunk_once_and_told(monkeypatch):
    def drawn(kind: str, size: tuple[int, int], mode: str = "RGB") -> bytes:
        buffer = io.BytesIO()
        Image.new(mode, size, "red").save(buffer, kind)
        return buffer.getvalue()

    turned = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # lies on its side
    Image.new("RGB", (3200, 100), "red").save(turned, "JPEG", exif=exif)
    pictures = read_pictures([
        ("a/large.png", drawn("PNG", (4000, 2000), "RGBA")), ("photo.jpg", turned.getvalue()),
        ("fine.gif", drawn("GIF", (MAX_SIDE, 9))), ("x.zip", zipped(("b/in.bmp", drawn("BMP", (
            1601, 10))))), ("broken.png", drawn("PNG", (2000, 2000))[:-30]),
    ])
    assert list(pictures) == ["large.png", "photo.jpg", "fine.gif", "in.bmp"]
    sizes = {}
    for name, data in pictures.items():
        with Image.open(io.BytesIO(data)) as image:
            sizes[name] = image.format, image.size
    assert sizes == {
        "large.png": ("PNG", (1600, 800)), "photo.jpg": ("JPEG", (50, 1600)),
        "fine.gif": ("GIF", (1600, 9)), "in.bmp": ("PNG", (1600, 10)),
    }
    assert pictures.shrunk == {"large.png": (4000, 2000), "photo.jpg": (3200, 100),
                               "in.bmp": (1601, 10)}
    shrunk, refused = pictures.summary()
    assert shrunk == ("3 pictures shrunk to 1,600 pixels in the longer direction; the largest, "
                      "large.png, had 4,000 × 2,000.")
    assert refused.startswith("broken.png was omitted")

    small = pictures.thumbnail("large.png", 64)
    monkeypatch.setattr(Image, "open", None)
    assert pictures.thumbnail("large.png", 64) is small
    assert pictures["large.png"]


# Further columns

GROUPED = (
    b"anchor,near,far,Condition,mood,age,time\na,b,c,lab,good,31,1\nb,c,a,crowd,bad,20,2\n"
    b"c,a,b,lab,,31,3\n"
)


def test_other_columns_are_kept():
    found = read(GROUPED).answers
    assert set(found) == {"time", "Condition", "age", "mood"}
    assert found["Condition"].tolist() == ["lab", "crowd", "lab"]
    assert found["age"].cat.categories.tolist() == ["20", "31"]
    assert found["mood"].isna().tolist() == [False, False, True]
    roles = {"anchor": "anchor", "near": "near", "far": "far", "keep": ["mood"]}
    assert list(read(GROUPED, roles).answers) == ["mood"]
    one_condition = GROUPED.replace(b"crowd", b"lab")
    assert read(one_condition).answers["Condition"].tolist() == ["lab"] * 3


@pytest.mark.parametrize("name", ["session", "list", "SONA id", "Sprache", "device", "response"])
def test_other_columns_are_kept_whatever_they_are_called(name):
    """Names of sessions and devices were dropped, and names of conditions kept."""
    rows = [f"cat,dog,car,{k % 3}" for k in range(30)]
    found = read("\n".join([f"anchor,near,far,{name}", *rows]).encode()).answers
    kept = "block" if name == "session" else name  # a role of its own
    assert found[kept].tolist() == [f"{k % 3}" for k in range(30)]
    two = [f"anchor,near,far,block,{name}", *(f"cat,dog,car,1,{k % 3}" for k in range(30))]
    assert name in read("\n".join(two).encode()).answers


def test_kept_columns_are_part_of_a_reading():
    table = load(GROUPED)
    (reading, *_) = propose(table)
    assert "Kept with the answers: Condition, mood and age." in reading.summary()
    assert Reading.from_dict(json.loads(json.dumps(reading.to_dict()))) == reading
    assert can_be_kept(table, reading) == ["Condition", "mood", "age"]
    with pytest.raises(DataError, match="no column 'moods'"):
        read(GROUPED, keep=["moods"])
    roles = {"anchor": "anchor", "near": "near", "far": "far"}
    assert list(read(GROUPED, {**roles, "keep": ["time"]}).answers) == ["time (file)"]


def test_objects_of_comparisons_of_pairs_are_described():
    pairs = Quadruples([[0, 1, 2, 3], [2, 3, 0, 1]])
    table = pd.DataFrame({"id": list("01234"), "level": np.arange(5.0)})
    described, report = attach_objects(pairs, table, add=True)
    assert described.objects["level"].tolist() == [0, 1, 2, 3, 4]
    assert report.added == ["4"]
    np.testing.assert_array_equal(described.rows, pairs.rows)
    pictured, report = attach_pictures(described, read_pictures([("2.png", png())]))
    assert (report.n_matched, pictured.objects["image"][2]) == (1, "2.png")


def rated(people: int = 3) -> pd.DataFrame:
    """Objects rated one at a time, with what else stands in such a file."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame([
        {"trial": k, "rater": f"p{who}", "item": one, "kind": "tool" if one < "c" else "toy",
         "Roughness": int(rng.integers(1, 8)), "gloss": round(float(rng.normal()), 2),
         "comment": rng.choice(["", "hm", "easy"]), "age": 20 + who}
        for who in range(people) for k, one in enumerate(rng.permutation(list("abcd")))
    ])
    return table.sample(frac=1.0, random_state=0)


@pytest.mark.parametrize("separator", [",", ";"])
def test_ratings_by_people_become_means(separator):
    table = rated()
    text = table.to_csv(index=False, sep=separator, decimal="." if separator == "," else ",")
    objects = read_objects(text.encode())
    assert objects.columns.tolist() == ["id", "label", "kind", "mean Roughness", "mean gloss"]
    assert objects["id"].tolist() == table["item"].unique().tolist()
    for name in ("Roughness", "gloss"):
        each = table.groupby("item")[name].mean()
        np.testing.assert_allclose(objects.set_index("id")[f"mean {name}"].sort_index(), each)
    features = read_features(text.encode())
    assert features_of(features) == ["mean Roughness", "mean gloss"]


def test_other_rows_about_one_object_are_a_mistake_still():
    """Of only some objects by several people, about none, or of several scales."""
    scales = pd.concat([rated().assign(scale="size"), rated().assign(scale="joy")])
    for table in (pd.concat([rated(1), rated(2).query("item == 'a'")]),
                  pd.concat([rated(2), rated(2).head(1).assign(item="")]), scales):
        for column in ("item", None):
            with pytest.raises(DataError):
                read_objects(table.to_csv(index=False).encode(), column)
