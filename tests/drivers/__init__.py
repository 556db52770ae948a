"""What programs in Python, Java and JavaScript do with the server through their drivers; docs/drivers.md lists it."""
