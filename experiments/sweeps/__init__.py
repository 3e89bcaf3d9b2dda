"""One sweep: its plan, its trials one by one, the table while it runs and at its end."""
