"""Read models: frozen and fully loaded; no queryset leaves this room."""
