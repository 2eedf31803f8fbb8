"""How going back is told: what was typed late, and what an annulment or correction would do."""
