"""Places, as the core knows them: through the packages that take an address."""
