"""The one engine of the house, with the words that diagrams may use."""

from app.cases.vocabulary import LANGUAGE
from app.engine.runner import Engine

ENGINE = Engine(LANGUAGE)
