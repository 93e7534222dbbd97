"""The documents that commands print for programs: public interfaces, whose keys are only added.

Each is made of the classes of `report.model`, or of plain values. What people read is in `report.text`.
"""
