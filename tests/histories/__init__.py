"""Cases as they were journaled once, kept for ever, and played again by today's engine on every run.

A history is one file `<story>.<case>.history`: a line of JSON that says what it is, then two lines for each entry of
the case's stream: the hash before it with its own, and the exact bytes of its body. No real case is among them.
`diagrams/<digest>/` holds the files of the definition that cases are pinned to, under the digest that their journal
names; today's `bpmn/` plays no part, and neither does a database.

Files are added and never rewritten. One that no longer replays is a finding about the program, or about the library
under it: a case of that day could not be proven any more. `python -m tests.histories.save` adds what no file shows yet.
"""
