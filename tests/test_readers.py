"""What annotation tools export: read as documented, left out with a count, or refused by name."""

import contextlib
import csv
import io
import json
import re
import sys
import zipfile

import pytest

import kappax as kx
from kappax.readers import LongTable, appen, argilla, crowd_kit, doccano, label_studio, mturk, prodigy
from shared import DATA, needs_data


def rows(table):
    return list(zip(table.unit, table.rater, table.pool, table.value, strict=True))


def people(*cells):
    return [(unit, rater, "annotators", value) for unit, rater, value in cells]


def lines(*records):
    return "\n".join(json.dumps(record) for record in records).encode()


# --- exports, typed in -------------------------------------------------------------------------------------


def result(name, kind, answer):
    return {"from_name": name, "to_name": "text", "type": kind, "value": {kind: answer}, "id": "x"}


def annotation(who, *results, **more):
    return {"id": 1000 + who, "completed_by": who, "was_cancelled": False, "result": list(results), **more}


def choice(label):
    return result("mood", "choices", [label])


LABEL_STUDIO = [
    {
        "id": 1,
        "data": {"text": "What a day"},
        "annotations": [
            annotation(7, choice("good"), result("stars", "rating", 4)),
            annotation(8, choice("bad"), result("stars", "rating", 2), result("age", "number", 31)),
            annotation(9, was_cancelled=True),
        ],
        "predictions": [{"model_version": "v1", "score": 0.9, "result": [choice("good")]}],
    },
    {
        "id": 2,
        "data": {"text": "Oh well"},
        "annotations": [annotation(7, choice("bad")), annotation(8, result("stars", "rating", 1))],
        "predictions": [
            {"model_version": "v1", "result": [choice("bad")]},
            {"model_version": None, "result": []},
        ],
    },
]


PRODIGY = [
    {
        "text": "a",
        "_input_hash": -11,
        "_task_hash": 1,
        "_session_id": "db-al",
        "answer": "accept",
        "label": "X",
    },
    {
        "text": "a",
        "_input_hash": -11,
        "_task_hash": 1,
        "_session_id": "db-bo",
        "answer": "reject",
        "label": "X",
    },
    {
        "text": "b",
        "_input_hash": 22,
        "_task_hash": 2,
        "_session_id": "db-al",
        "answer": "ignore",
        "label": "X",
    },
    {
        "text": "b",
        "_input_hash": 22,
        "_task_hash": 3,
        "_session_id": "db-bo",
        "answer": "accept",
        "label": "Y",
    },
]
OPTIONS = [{"id": "cat", "text": "Cat"}, {"id": "dog", "text": "Dog"}]


def choices(unit, who, answer, *accept):
    return {
        "_input_hash": unit,
        "_annotator_id": who,
        "_session_id": "session",
        "options": OPTIONS,
        "accept": list(accept),
        "answer": answer,
        "_view_id": "choice",
    }


CHOICES = [
    choices(1, "al", "accept", "cat"),
    choices(1, "bo", "accept", "dog"),
    choices(2, "al", "reject", "dog"),
    choices(2, "bo", "accept"),
]

ARGILLA = [
    {
        "id": "r1",
        "fields": {"text": "Hello"},
        "metadata": {},
        "responses": {
            "mood": [
                {"value": "good", "user_id": "u1"},
                {"value": "bad", "user_id": "u2", "status": "submitted"},
            ],
            "stars": [{"value": 3, "user_id": "u1"}],
        },
        "suggestions": {"mood": {"value": "good", "score": 0.9, "agent": "gpt"}},
    },
    {
        "id": "r2",
        "responses": {"mood": [{"value": "bad", "user_id": "u1", "status": "draft"}]},
        "suggestions": {"mood": {"value": "bad", "agent": None}},
    },
]
ARGILLA_FLAT = [
    {
        "id": "r1",
        "text": "Hello",
        "mood.responses": ["good", "bad", "good"],
        "mood.responses.users": ["u1", "u2", "u3"],
        "mood.responses.status": ["submitted", "submitted", "discarded"],
        "mood.suggestion": "good",
        "mood.suggestion.agent": "gpt",
    },
    {"id": "r2", "text": "Bye", "mood.responses": None, "mood.suggestion": None},
]

APPEN = """\
_unit_id,_created_at,_golden,_id,_missed,_started_at,_tainted,_channel,_trust,_worker_id,stars,stars_gold,text
501,1/1/2016,false,1,,1/1/2016,false,elite,0.9,41,1,,"A text
of two lines"
501,1/1/2016,FALSE,2,,1/1/2016,false,prime,0.8,42,2,,x
501,1/1/2016,false,3,,1/1/2016,true,prime,0.2,43,5,,x
502,1/1/2016,TRUE,4,false,1/1/2016,false,elite,0.9,41,3,3,y
502,1/1/2016,true,5,true,1/1/2016,true,prime,0.2,43,1,3,y
503,1/1/2016,false,6,,1/1/2016,false,elite,0.9,41,,,z
"""

MTURK = """\
"HITId","HITTypeId","AssignmentId","WorkerId","AssignmentStatus","Input.doc","Answer.mood","Answer.tags"
"H1","T","A1","W1","Approved","d1","good","a|b"
"H1","T","A2","W2","Submitted","d1","bad","b"
"H2","T","A3","W1","Rejected","d2","good",""
"H3","T","A4","W2","Approved","d1","good",""
"""


def task_answers(*answers):
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["HITId", "WorkerId", "AssignmentStatus", "Answer.taskAnswers"])
    for worker, answer in enumerate(answers):
        writer.writerow(["H1", f"W{worker}", "Approved", answer if isinstance(answer, str) else json.dumps([answer])])
    return text.getvalue().encode()


FORMS = task_answers(
    {
        "mood": {"label": "good"},
        "sure": {"no": False, "yes": True},
        "tags": {"a": True, "b": True},
        "age": "31",
    },
    {
        "mood": {"label": "bad"},
        "sure": {"no": True, "yes": False},
        "tags": {"a": False, "b": False},
        "age": "5",
    },
    "",
)

CROWD_KIT = "task,worker,label\nt1,w1,0\nt1,w2,1\nt2,w1,\n"


# --- what is read ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "expected", "dropped"),
    [
        (
            label_studio(LABEL_STUDIO, question="mood"),
            [
                (1, 7, "annotators", "good"),
                (1, 8, "annotators", "bad"),
                (1, "v1", "v1", "good"),
                (2, 7, "annotators", "bad"),
                (2, 8, "annotators", None),
                (2, "v1", "v1", "bad"),
                (2, "predictions", "predictions", None),
            ],
            {"cancelled": 1},
        ),
        (
            label_studio(LABEL_STUDIO, question="stars", predictions=False),
            people((1, 7, 4), (1, 8, 2), (2, 7, None), (2, 8, 1)),
            {"cancelled": 1},
        ),
        (
            label_studio(LABEL_STUDIO, question="age", predictions=False),
            people((1, 7, None), (1, 8, 31), (2, 7, None), (2, 8, None)),
            {"cancelled": 1},
        ),
        (
            prodigy(PRODIGY, question="X"),
            people((-11, "db-al", "accept"), (-11, "db-bo", "reject"), (22, "db-al", None)),
            {},
        ),
        (prodigy(CHOICES), people((1, "al", "cat"), (1, "bo", "dog"), (2, "al", None), (2, "bo", None)), {}),
        (
            prodigy(CHOICES, label="cat"),
            people((1, "al", True), (1, "bo", False), (2, "al", None), (2, "bo", False)),
            {},
        ),
        (
            prodigy(
                {
                    "al": lines({"_input_hash": 1, "answer": "accept"}),
                    "bo": lines({"_input_hash": 1, "answer": "reject"}),
                }
            ),
            people((1, "al", "accept"), (1, "bo", "reject")),
            {},
        ),
        (
            argilla(ARGILLA, question="mood"),
            [
                ("r1", "u1", "annotators", "good"),
                ("r1", "u2", "annotators", "bad"),
                ("r1", "gpt", "gpt", "good"),
                ("r2", "suggestions", "suggestions", "bad"),
            ],
            {"draft": 1},
        ),
        (argilla(ARGILLA, question="stars"), people(("r1", "u1", 3)), {}),
        (
            argilla(ARGILLA_FLAT),
            [
                ("r1", "u1", "annotators", "good"),
                ("r1", "u2", "annotators", "bad"),
                ("r1", "gpt", "gpt", "good"),
            ],
            {"discarded": 1},
        ),
        (
            doccano(
                {
                    "al": lines({"id": 1, "text": "a", "label": ["x"]}, {"id": 2, "label": []}),
                    "bo": lines({"id": 1, "label": ["y"]}),
                    "cy": b"",
                }
            ),
            people((1, "al", "x"), (2, "al", None), (1, "bo", "y")),
            {},
        ),
        (
            doccano(
                {
                    "al": lines({"id": 1, "cats": ["x", "y"], "entities": []}),
                    "bo": lines({"id": 1, "cats": ["y"], "entities": []}),
                },
                label="x",
            ),
            people((1, "al", True), (1, "bo", False)),
            {},
        ),
        (
            doccano(
                [
                    {"id": 1, "annotations": [{"label": 3, "user": 5}, {"label": 4, "user": 6}]},
                    {"id": 2, "annotations": []},
                ]
            ),
            people((1, 5, 3), (1, 6, 4)),
            {"without annotation": 1},
        ),
        (
            appen(APPEN.encode()),
            people(("501", "41", 1), ("501", "42", 2), ("503", "41", None)),
            {"tainted": 1, "test questions": 2},
        ),
        (
            appen(APPEN.encode(), pool="_channel", keep_golden=True, keep_tainted=True),
            [
                ("501", "41", "elite", 1),
                ("501", "42", "prime", 2),
                ("501", "43", "prime", 5),
                ("502", "41", "elite", 3),
                ("502", "43", "prime", 1),
                ("503", "41", "elite", None),
            ],
            {},
        ),
        (
            mturk(MTURK.encode(), question="mood"),
            people(("H1", "W1", "good"), ("H1", "W2", "bad"), ("H3", "W2", "good")),
            {"rejected": 1},
        ),
        (
            mturk(MTURK.encode(), question="tags", label="a", unit="Input.doc"),
            people(("d1", "W1", True), ("d1", "W2", False), ("d1", "W2", None)),
            {"rejected": 1},
        ),
        (
            mturk(FORMS, question="mood"),
            people(("H1", "W0", "good"), ("H1", "W1", "bad"), ("H1", "W2", None)),
            {},
        ),
        (
            mturk(FORMS, question="sure"),
            people(("H1", "W0", "yes"), ("H1", "W1", "no"), ("H1", "W2", None)),
            {},
        ),
        (mturk(FORMS, question="age"), people(("H1", "W0", 31), ("H1", "W1", 5), ("H1", "W2", None)), {}),
        (
            mturk(FORMS, question="tags", label="b"),
            people(("H1", "W0", True), ("H1", "W1", False), ("H1", "W2", None)),
            {},
        ),
        (crowd_kit(CROWD_KIT.encode()), people(("t1", "w1", 0), ("t1", "w2", 1), ("t2", "w1", None)), {}),
        (
            crowd_kit(b"performer,task,label,lot\np,t,yes,one\n\nq,t,no,two\n", pool="lot"),
            [("t", "p", "one", "yes"), ("t", "q", "two", "no")],
            {},
        ),
    ],
)
def test_what_is_read(table, expected, dropped):
    assert rows(table) == expected
    assert [type(value) for value in table.value] == [type(row[3]) for row in expected]
    assert table.dropped == dropped


def test_annotators_with_accounts_go_by_their_address():
    tasks = [
        {
            "id": 1,
            "annotations": [{"completed_by": {"id": 3, "email": "al@example.org"}, "result": [choice("good")]}],
        }
    ]
    assert label_studio(tasks).rater == ("al@example.org",)


def test_table_makes_ratings():
    table = label_studio(LABEL_STUDIO, question="mood")
    for words in ("7 rows", "question 'mood'", "pools 'annotators', 'v1', 'predictions'", "out: 1 cancelled"):
        assert words in repr(table)
    assert len(table) == 7
    ratings = table.ratings(domain=["bad", "good"])
    assert (ratings.n_ratings, ratings.n_missing, ratings.domain) == (5, 2, ("bad", "good"))
    same = kx.Ratings.from_long(table.columns, unit="unit", rater="rater", pool="pool", value="value")
    assert same.tally("pool").pools == ratings.tally("pool").pools
    assert kx.cross_kappa(ratings.select(pools=["annotators"]), ratings.select(pools=["v1"])).n_units == 2


def test_repeated_ratings_are_for_the_caller_to_choose():
    table = prodigy([{**CHOICES[0]}, choices(1, "al", "accept", "dog")])
    with pytest.raises(kx.RatingsError, match="rates a unit twice"):
        table.ratings()
    assert table.ratings(duplicates="last").audit().values == {"cat": 0, "dog": 1}


def test_words_are_numbers_once_missing_ones_are_gone():
    table = crowd_kit(b"task,worker,label\nt,a,1\nt,b,2.0\nt,c,N/A\n")
    assert table.value == ("1", "2.0", "N/A")
    assert table.ratings().domain == ("1", "2.0", "N/A")
    assert table.ratings(missing=["N/A"]).domain == (1.0, 2.0)
    assert table.ratings(missing=["N/A"], recode={2: 3}).domain == (1, 3)
    assert table.ratings(missing=["N/A"], domain=["1", "2", "3"]).domain == (1, 2, 3)
    assert table.ratings(missing=[1], recode={"N/A": "none"}).domain == ("2.0", "none")


@pytest.fixture
def zipped(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("al.jsonl", lines({"id": 1, "label": ["x"]}, {"id": 2, "label": ["x"]}))
        archive.writestr("bo.jsonl", lines({"id": 1, "label": ["y"]}, {"id": 2, "label": ["x"]}))
        archive.writestr("admin.jsonl", b"")
    return path


def test_sources(zipped, tmp_path):
    expected = people((1, "al", "x"), (2, "al", "x"), (1, "bo", "y"), (2, "bo", "x"))
    assert rows(doccano(zipped)) == rows(doccano(str(zipped))) == expected
    with zipped.open("rb") as file:
        assert rows(doccano(file)) == expected
    with zipfile.ZipFile(zipped) as archive:
        archive.extractall(tmp_path)
    assert rows(doccano([tmp_path / "al.jsonl", tmp_path / "bo.jsonl"])) == expected
    assert rows(doccano({"a.b": tmp_path / "al.jsonl"})) == people((1, "a.b", "x"), (2, "a.b", "x"))
    (tmp_path / "al.jsonl").rename(tmp_path / "al.smith.jsonl")
    assert set(doccano(tmp_path / "al.smith.jsonl").rater) == {"al.smith"}
    text = io.StringIO(json.dumps(LABEL_STUDIO, indent=1))
    assert rows(label_studio(text, question="mood")) == rows(label_studio(LABEL_STUDIO, question="mood"))
    assert rows(crowd_kit([CROWD_KIT.encode(), b"task,worker,label\nt3,w,1\n"]))[-1][0] == "t3"
    assert rows(crowd_kit(b"\xef\xbb\xbf" + CROWD_KIT.encode())) == rows(crowd_kit(CROWD_KIT.encode()))


def test_a_long_document_in_a_cell():
    limit = csv.field_size_limit()
    content = f"task,worker,label,text\nt,w,1,{'x' * 200_000}\nt,v,1,y\n"
    assert len(crowd_kit(content.encode())) == 2
    assert csv.field_size_limit() == limit


@needs_data
def test_coal_debate_has_the_shape_of_a_full_report():
    names = {
        "item": "_unit_id",
        "rater": "_worker_id",
        "golden": "_golden",
        "trust": "_trust",
        "country": "_country",
    }
    header, body = (DATA / "coal_debate" / "coal_debate.csv").read_text(encoding="utf-8").split("\n", 1)
    content = ",".join(names.get(name, name) for name in header.split(",")) + "\n" + body
    table = appen(content.encode(), question="subsidy_scale", pool="replication")
    assert table.dropped == {"test questions": 3464}
    assert len(table) == 17606 - 3464
    ratings = table.ratings(duplicates="keep")
    one, two = (ratings.select(pools=[pool]) for pool in ("EN-1", "EN-2"))
    assert kx.cross_kappa(one, two, "interval").estimate == pytest.approx(0.334607968835916, abs=1e-12)


# --- what is refused ---------------------------------------------------------------------------------------


def task(**changes):
    return [{**LABEL_STUDIO[0], **changes}]


@pytest.mark.parametrize(
    ("read", "message"),
    [
        # files
        (lambda: label_studio(b""), "empty file"),
        (lambda: doccano({"al": b"", "bo": b"\n"}), "empty file: al, bo"),
        (lambda: label_studio(b'[{"id": "caf\xe9"}]'), "not UTF-8, byte 0xe9 in line 1"),
        (
            lambda: label_studio(json.dumps(LABEL_STUDIO).encode()[:-30]),
            "not whole JSON, line 1 is wrong or cut short",
        ),
        (lambda: label_studio(b"[" * 100_000), "not whole JSON"),
        (lambda: prodigy(lines(*PRODIGY)[:-20]), "line 4 is not JSON"),
        (lambda: prodigy(b"3\n"), "line 1 is not a JSON object: 3"),
        (
            lambda: prodigy(b"<html>"),
            "line 1 is not JSON .*, expected a JSON list, or a JSON object a line: '<html>'",
        ),
        (lambda: label_studio(b"[1]"), "record 0 is not a JSON object: 1"),
        (lambda: label_studio([]), "empty file"),
        (lambda: doccano(b"PK\x03\x04rest"), "zip cannot be read"),
        # Label Studio
        (lambda: label_studio(LABEL_STUDIO), "more than one from_name .* question=: 'mood', 'stars', 'age'"),
        (lambda: label_studio(LABEL_STUDIO, question="moot"), "no from_name 'moot' .*did you mean 'mood'"),
        (
            lambda: label_studio([{"id": 3, "mood": "good"}]),
            "task 3 has no 'annotations' .*JSON-MIN.*: 'id', 'mood'$",
        ),
        (lambda: label_studio(task(id=None)), "record 0 has no 'id'"),
        (lambda: label_studio(task(id=[1])), "'id' of record 0 must be text or a whole number"),
        (lambda: label_studio(task(annotations={})), "'annotations' of task 1 must be a list of objects"),
        (
            lambda: label_studio(task(annotations=[annotation(7, was_cancelled=True)], predictions=[])),
            "no ratings in this export, left out: 1 cancelled",
        ),
        (
            lambda: label_studio(task(annotations=[{"id": 5, "result": []}])),
            "annotation 5 of task 1 has no 'completed_by'",
        ),
        (
            lambda: label_studio(task(annotations=[annotation(7, {"type": "choices"})])),
            "a result of annotation 1007 of task 1 has no 'from_name'",
        ),
        (
            lambda: label_studio(
                task(annotations=[annotation(7, {"type": "choices", "from_name": "mood", "value": {}})])
            ),
            "the value of result 'mood' .* has no 'choices'",
        ),
        (
            lambda: label_studio(
                task(annotations=[annotation(7, {"type": "choices", "from_name": "mood", "value": 3})])
            ),
            "must be an object: 3",
        ),
        (
            lambda: label_studio(
                task(annotations=[annotation(7, result("box", "rectanglelabels", ["a"]))], predictions=[])
            ),
            "no choices, rating or number .*: 'rectanglelabels'",
        ),
        (
            lambda: label_studio(task(annotations=[annotation(7, result("mood", "choices", ["a", "b"]))])),
            "annotation 1007 of task 1 has several labels, name one of them as label=: 'a', 'b'",
        ),
        (
            lambda: label_studio(task(annotations=[annotation(7, choice("a"), choice("b"))])),
            "answers 'mood' more than once",
        ),
        (
            lambda: label_studio(LABEL_STUDIO, question="mood", label="goood"),
            "nobody chose label='goood'; .*did you mean 'good'",
        ),
        # Prodigy
        (lambda: prodigy(PRODIGY), "more than one question .*: 'X', 'Y'"),
        (
            lambda: prodigy(lines(PRODIGY[0], {**PRODIGY[0], "_input_hash": None})),
            "line 2 has no '_input_hash'",
        ),
        (
            lambda: prodigy([{**PRODIGY[0], "_session_id": None}]),
            "record 0 has no '_session_id' or '_annotator_id'",
        ),
        (lambda: prodigy([{**PRODIGY[0], "answer": "maybe"}]), "answer of record 0 must be .*: 'maybe'"),
        (lambda: prodigy([{"text": "a", "_input_hash": 1, "_session_id": "s"}]), "record 0 has no 'answer'"),
        # doccano
        (lambda: doccano({"al": lines({"label": ["x"]})}), "line 1 has no 'id'"),
        (lambda: doccano({"al": lines({"id": 1, "text": "a"})}), "no key with labels"),
        (
            lambda: doccano({"al": lines({"id": 1, "label": [[0, 2, "ORG"]]})}),
            "'label' of line 1 holds no single value",
        ),
        (lambda: doccano({"al": lines({"id": 1, "label": ["x", "y"]})}), "several labels"),
        (lambda: doccano([{"id": 1, "label": ["x"]}]), "record 0 does not say who annotated"),
        (
            lambda: doccano([{"id": 1, "annotations": [{"label": 1}]}]),
            "an annotation of record 0 has no 'user'",
        ),
        (
            lambda: doccano([{"id": 1, "annotations": [{"label": 1, "user": 1, "start_offset": 0}]}]),
            "is a span",
        ),
        # Argilla
        (lambda: argilla(ARGILLA), "more than one question"),
        (lambda: argilla([{"id": "r", "text": "x"}]), "record 0 has no 'responses'"),
        (lambda: argilla([{"responses": {"q": [{"value": 1, "user_id": "u"}]}}]), "record 0 has no 'id'"),
        (
            lambda: argilla([{"id": "r", "responses": {"q": [{"value": 1}]}}]),
            "a response of record 'r' has no 'user_id'",
        ),
        (
            lambda: argilla([{"id": "r", "responses": {"q": [{"user_id": "u"}]}}]),
            "the response of 'u' to record 'r' has no 'value'",
        ),
        (
            lambda: argilla(
                [{"id": "r", "responses": {"q": [{"value": [{"value": "a", "rank": 1}], "user_id": "u"}]}}]
            ),
            "holds no single value",
        ),
        (
            lambda: argilla([{"id": "r", "responses": [1]}]),
            "'responses' of record 0 must be an object by question",
        ),
        (
            lambda: argilla([{**ARGILLA_FLAT[0], "mood.responses.users": ["u1"]}]),
            "needs a user for each value",
        ),
        # CSV
        (
            lambda: appen(b"_unit_id,_golden\n1,false\n"),
            "no column '_worker_id'; the columns are: '_unit_id', '_golden'",
        ),
        (
            lambda: appen(APPEN.replace("FALSE", "perhaps").encode()),
            "'_golden' in line 4 must be true or false: 'perhaps'",
        ),
        (lambda: appen(APPEN.encode(), question="star"), "no column of answers 'star'.*did you mean 'stars'"),
        (lambda: appen(APPEN.replace("503,", ",").encode()), "line 8 has no '_unit_id'"),
        (lambda: appen(APPEN.replace("503,1/1/2016", "503").encode()), "line 8 has 12 of 13 fields"),
        (lambda: appen(b'_unit_id,_worker_id,x\n1,2,"a\n'), "is not CSV"),
        (lambda: appen(b"_unit_id,_worker_id,x,x\n1,2,3,3\n"), "two columns are called: 'x'"),
        (lambda: mturk(MTURK.encode()), "more than one answer .*: 'mood', 'tags'"),
        (lambda: mturk(MTURK.encode(), question="tags"), "'Answer.tags' in line 2 has several labels"),
        (
            lambda: mturk(MTURK.replace("AssignmentStatus", "Status").encode(), question="mood"),
            "no column 'AssignmentStatus'",
        ),
        (
            lambda: mturk(task_answers("[{"), question="mood"),
            "'Answer.taskAnswers' in line 2 must be a JSON list",
        ),
        (lambda: mturk(task_answers({"box": {"left": 3}})), "holds no single value"),
        (lambda: crowd_kit(b"task,label\nt,1\n"), "has no 'worker'"),
        (lambda: crowd_kit(b"task,worker,label\nt,,1\n"), "line 2 has no 'worker'"),
    ],
)
def test_what_is_refused(read, message):
    with pytest.raises(kx.RatingsError) as refused:
        read()
    assert re.search(message, str(refused.value)), str(refused.value)


EXPORTS = {
    "label_studio": (lambda source: label_studio(source, question="mood"), LABEL_STUDIO),
    "prodigy": (prodigy, CHOICES),
    "doccano": (doccano, [{"id": 1, "annotations": [{"label": 3, "user": 5}]}]),
    "argilla": (lambda source: argilla(source, question="mood"), ARGILLA),
    "argilla, flat": (argilla, ARGILLA_FLAT),
}
JUNK = [None, 3, "x", "", True, 1.5, [], {}, [3], [[]], [{}], {"x": 1}, [None], float("nan")]


def spoiled(thing, junk):
    """Give each copy of an export in which one part, deep or not, is junk."""
    yield junk
    parts = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ()
    for key, part in parts:
        for bad in spoiled(part, junk):
            copy = thing.copy()
            copy[key] = bad
            yield copy
    for key in list(thing) if isinstance(thing, dict) else ():
        yield {name: part for name, part in thing.items() if name != key}


@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_whatever_is_spoiled_is_read_or_refused_in_words(name, junk):
    read, export = EXPORTS[name]
    for bad in spoiled(export, junk):
        with contextlib.suppress(kx.RatingsError):
            table = read(json.dumps(bad).encode())
            with contextlib.suppress(kx.RatingsError):
                table.ratings(duplicates="keep")


def test_wrong_types_and_files_that_are_not_there(tmp_path):
    for thing in (None, 3, {1}):
        with pytest.raises(TypeError, match="expected a path"):
            label_studio(thing)
    with pytest.raises(FileNotFoundError):
        crowd_kit(tmp_path / "none.csv")


def test_several_files_are_told_apart():
    with pytest.raises(kx.RatingsError, match=r"line 2 of bo is not JSON"):
        doccano({"al": lines({"id": 1, "label": ["x"]}), "bo": lines({"id": 1, "label": ["x"]}) + b"\n{"})


def test_readers_need_no_frames(monkeypatch):
    for name in ("polars", "pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    assert isinstance(appen(APPEN.encode()), LongTable)


# --- from the shell ----------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path, capsys):
    pytest.importorskip("polars")
    pytest.importorskip("rich")
    from kappax.cli import main  # noqa: PLC0415

    def call(command, content, *argv):
        path = tmp_path / "export"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        status = main([command, str(path), *argv])
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.mark.parametrize(
    ("content", "argv", "n_units", "left_out"),
    [
        (LABEL_STUDIO, ["label-studio", "--question", "mood"], 2, {"cancelled": 1}),
        (PRODIGY, ["prodigy", "--question", "X"], 2, None),
        (CHOICES, ["prodigy", "--label", "cat"], 2, None),
        (ARGILLA_FLAT, ["argilla"], 1, {"discarded": 1}),
        (APPEN.encode(), ["appen", "--level", "interval"], 2, {"tainted": 1, "test questions": 2}),
        (
            MTURK.encode(),
            ["mturk", "--question", "mood", "--unit", "Input.doc", "--duplicates", "last"],
            1,
            {"rejected": 1},
        ),
        (CROWD_KIT.encode(), ["crowd-kit", "--domain", "0,1", "--level", "ordinal"], 2, None),
    ],
)
def test_alpha_of_an_export(run, content, argv, n_units, left_out):
    status, out, err = run("alpha", content, "--json", "--format", *argv)
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["n_units"] + found.get("n_dropped", 0) >= n_units
    assert found.get("left_out") == left_out


def test_alpha_of_a_zip_says_what_was_read(run, zipped):
    status, out, _ = run("alpha", zipped.read_bytes(), "--format", "doccano", "--audit")
    assert status == 0
    assert "Krippendorff's alpha" in out
    assert run("alpha", APPEN.encode(), "--format", "appen")[1].splitlines()[-1] == (
        "left out: 1 tainted, 2 test questions"
    )


def test_alpha_is_of_people_and_xrr_of_people_and_models(run):
    argv = ["--format", "label-studio", "--question", "mood", "--json"]
    assert json.loads(run("alpha", LABEL_STUDIO, *argv)[1])["n_raters"] == 2
    found = json.loads(run("xrr", LABEL_STUDIO, *argv, "--pools", "annotators,v1")[1])
    assert found["pools"] == ["annotators", "v1"]
    assert run("xrr", APPEN.encode(), "--format", "appen", "--pool", "_channel")[0] == 0


@pytest.mark.parametrize(
    ("command", "content", "argv", "message"),
    [
        ("alpha", LABEL_STUDIO, ["label-studio"], "choose one as question="),
        (
            "alpha",
            CROWD_KIT.encode(),
            ["crowd-kit", "--question", "x"],
            "--question does not go with --format crowd-kit",
        ),
        ("alpha", PRODIGY, ["prodigy", "--value", "x"], "--value does not go with"),
        (
            "xrr",
            CROWD_KIT.encode(),
            ["crowd-kit"],
            "xrr compares two pools or more; the export has ['annotators']",
        ),
        ("alpha", b"", ["prodigy"], "empty file"),
        (
            "alpha",
            CROWD_KIT.encode(),
            ["csv", "--unit", "task", "--value", "label", "--label", "x"],
            "--label is for",
        ),
        ("alpha", CROWD_KIT.encode(), ["csv", "--unit", "task"], "arguments are required: --value"),
    ],
)
def test_bad_usage_is_one_line(run, command, content, argv, message):
    status, out, err = run(command, content, "--format", *argv)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
