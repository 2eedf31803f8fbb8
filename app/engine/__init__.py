"""The only room that knows SpiffWorkflow and lxml: BPMN in, one Step out per command.

Pure: no store, no clock. What a diagram wants to know comes through one `ask` callable; what it wants done comes
back as orders. No rule of any municipality lives here.
"""
