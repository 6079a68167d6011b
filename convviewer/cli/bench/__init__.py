"""Benchmarks: each compares with a yardstick of the same run, since machines differ."""
