"""Office files: PDF, DOCX and PPTX."""
