"""One table, many answers: what the level of measurement does to alpha, and where raters disagree."""

import kappax as kx

# Krippendorff (2011): 12 units (rows), 4 raters; None is missing.
matrix = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, 3, None, None],
]
ratings = kx.Ratings.from_matrix(matrix)

for level in ("nominal", "ordinal", "interval", "ratio", "linear"):
    print(f"{level:<10} {kx.krippendorff_alpha(ratings, level):.4f}")

# A difference of your own: 5 is a catch-all here, and always one step away from everything.
own = kx.krippendorff_alpha(ratings, lambda a, b: 1.0 if 5 in (a, b) and a != b else float((a - b) ** 2))
print(f"{'own':<10} {own:.4f}\n")

print(kx.coincidence_matrix(ratings))
