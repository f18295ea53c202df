"""The parts of run-in-vm."""
