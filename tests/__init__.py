"""Every test comes through here, those that run in a process of their own as well."""

from tests.names import use_chosen_name

use_chosen_name()
