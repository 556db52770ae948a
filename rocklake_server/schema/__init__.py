"""What the catalog is: types, declared tables, live relations. Data only; imports nothing above ``errors``."""
