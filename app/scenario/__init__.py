"""Stories a lawyer can read, played through the acts that people use, on a fresh database and a simulated clock.

`story.py` reads the YAML, `play.py` performs it, `check.py` compares. `docs/scenarios.md` describes the language.
"""

from app.scenario.play import Outcome, play_file
from app.scenario.story import Story, read_stories

__all__ = ["Outcome", "Story", "play_file", "read_stories"]
