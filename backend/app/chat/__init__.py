"""The HTTP chat door: chat, research and every capability over HTTP, for programs, chat clients and browsers."""
