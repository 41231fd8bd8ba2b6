"""What a template does when it is rendered: chat templates turn by turn, any template with its values varied."""
