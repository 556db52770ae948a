"""The benchmarks measure what they say, and refuse a run that compares nothing."""
