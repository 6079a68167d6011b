"""Values that tests of several rooms need."""
