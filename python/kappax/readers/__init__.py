"""Readers for what annotation tools export: each gives a long table with unit, rater, pool and value.

>>> import kappax as kx
>>> tasks = [
...     {"id": 1, "annotations": [
...         {"completed_by": who, "result": [
...             {"from_name": "mood", "type": "choices", "value": {"choices": [label]}}]}
...         for who, label in ((10, "good"), (11, "bad"))]}]
>>> table = kx.readers.label_studio(tasks)
>>> table
LongTable(2 rows, question 'mood', pools 'annotators')
>>> table.ratings()
Ratings(1 units, 2 raters, pools 'annotators', 2 ratings, values 'bad', 'good')

A source is a path, an open file, bytes, or a zip of such files; where one file holds one rater, a list of
paths or a dict of rater and path. JSON exports may also be given as the list of records that they hold. What
a tool marks as no answer (cancelled, rejected, test question) is left out and counted in `LongTable.dropped`;
what cannot be read raises `RatingsError` with the record and what is missing in it.
"""

from kappax.readers._argilla import argilla
from kappax.readers._crowd import appen, crowd_kit, mturk
from kappax.readers._doccano import doccano
from kappax.readers._label_studio import label_studio
from kappax.readers._prodigy import prodigy
from kappax.readers._table import LongTable

__all__ = ["LongTable", "appen", "argilla", "crowd_kit", "doccano", "label_studio", "mturk", "prodigy"]
