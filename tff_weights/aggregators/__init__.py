"""From values and reports to one aggregate: TFF aggregation factories around a weighting."""
