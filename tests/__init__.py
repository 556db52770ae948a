"""The test suite: helpers live here, tests in one folder per package, whole-system tests in e2e."""
