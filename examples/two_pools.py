"""Can a model replace a crowd? Agreement inside and across two pools of raters, with intervals.

The data are made up here: 200 comments with a hidden toxicity from 1 to 5, five crowd workers who are often
off by one, and a model that was run three times and never uses the value 5.
"""

import numpy as np

import kappax as kx

rng = np.random.default_rng(2021)
truth = rng.integers(1, 6, size=200)
crowd = np.clip(truth[:, None] + rng.integers(-1, 2, size=(200, 5)), 1, 5)
model = np.clip(truth[:, None] + rng.choice([0, 0, 0, 1], size=(200, 3)), 1, 4)

rows = [
    {"comment": f"comment {number}", "pool": pool, "toxicity": int(value)}
    for pool, ratings in (("crowd", crowd), ("model", model))
    for number, row in enumerate(ratings)
    for value in row
]
ratings = kx.Ratings.from_long(rows, unit="comment", pool="pool", value="toxicity")
result = kx.cross_replication(ratings, "interval", ci=kx.Bootstrap(10_000, seed=2021))
print(result)

# Replicates of one result belong together: is the model more reliable than the crowd?
gain = result.irr["model"].replicates - result.irr["crowd"].replicates
low, high = np.quantile(gain, [0.025, 0.975])
print(f"\nIRR of the model minus IRR of the crowd: {low:.3f} to {high:.3f} on 95% of the resamples")
