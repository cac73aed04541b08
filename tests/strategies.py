"""Ratings that hypothesis makes: small, tied, full of holes, in every corner that data have been seen in."""

from hypothesis import strategies as st

FEW = [1, 2, 3, 4, 5]
FAR_FROM_ZERO = [1e9, 1e9 + 1, 1e9 + 2]
UNEVEN = [0.0, 0.1, 0.30000000000000004, 7.25, 1e-7, 1e6]
MANY = [float(k) * 0.37 for k in range(50)]

values = st.sampled_from([FEW, FEW[:1], FEW[:2], FAR_FROM_ZERO, UNEVEN, MANY])


def matrices(value, max_units=7, min_raters=1, max_raters=5):
    """Units x raters, None where a rating is missing."""
    cell = st.one_of(st.none(), st.sampled_from(value), st.sampled_from(value[:2]))
    width = st.integers(min_raters, max_raters)
    return width.flatmap(lambda n: st.lists(st.lists(cell, min_size=n, max_size=n), min_size=1, max_size=max_units))


def one_pool(**sizes):
    """A matrix over one of the domains."""
    return values.flatmap(lambda value: matrices(value, **sizes))


@st.composite
def pools(draw, n_pools=2, max_units=6):
    """Matrices over one domain and the same units, a matrix a pool."""
    value = draw(values)
    n_units = draw(st.integers(1, max_units))
    cell = st.one_of(st.none(), st.sampled_from(value))
    tables = []
    for _ in range(n_pools):
        n_raters = draw(st.integers(1, 3))
        row = st.lists(cell, min_size=n_raters, max_size=n_raters)
        tables.append(draw(st.lists(row, min_size=n_units, max_size=n_units)))
    return tables


def is_empty(table):
    """Whether no cell of the table holds a rating."""
    return all(value is None for row in table for value in row)
