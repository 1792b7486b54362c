"""The cast of the synthetic world: invented countries, organisations and people whose names read naturally."""

from __future__ import annotations

from typing import NamedTuple

from tgap.data.splitmix import RandomStream

COUNTRIES = (
    "Aldoria", "Belmarra", "Corvenia", "Drastova", "Estaria", "Fenwick Isles", "Galtria", "Hestonia", "Ivorra",
    "Jalendra", "Karsova", "Lorvania", "Meridona", "Norhaven", "Ostrovia", "Pelagora", "Quentara",
    "Rovenska", "Selmoria", "Tarkania", "Ustravia", "Valmora",
)  # fmt: skip

UNIVERSITIES = (
    "University of Ardenfall", "University of Brightwater", "University of Caldera", "University of Dunmere",
    "University of Eastmarch", "Harlow Institute of Technology", "Kestrel College", "Lindhurst Academy of Sciences",
    "Marrow Bay Polytechnic", "Old Corvenia University", "Royal College of Selmoria", "University of Valmora",
)  # fmt: skip

COMPANIES = (
    "Amber Coast Shipping", "Blackthorn Energy", "Continental Railways", "Daylight Broadcasting", "Evergreen Foods",
    "Granite Mutual", "Harbour and Sons", "Meridian Airlines", "Northern Star Mining", "Pelagora Times",
    "Silverline Telecom", "Windmill Press",
)  # fmt: skip

OFFICES = (
    "Central Bank of Aldoria", "Council of Free Cities", "Court of Arbitration", "Ministry of Trade (Galtria)",
    "Ministry of Defence (Rovenska)", "National Library of Hestonia", "Olympic Committee (Norhaven)",
    "Parliament of Lorvania", "Red Lantern Relief", "Senate of Tarkania", "Union of Coastal States",
    "World Harvest Fund",
)  # fmt: skip

_FIRST = (
    "Adela", "Anton", "Beatrix", "Boris", "Camila", "Casper", "Dalia", "Dmitri", "Elena", "Emil", "Farah", "Felix",
    "Greta", "Gustav", "Hanna", "Henrik", "Ines", "Ivan", "Jana", "Jonas", "Karim", "Katya", "Leon", "Lucia", "Marek",
    "Marta", "Nadia", "Nils", "Olga", "Oskar", "Petra", "Rafael", "Renata", "Samir", "Sofia", "Tomas", "Ursula",
    "Viktor", "Yara", "Zoran",
)  # fmt: skip
_LAST = (
    "Albrecht", "Antonov", "Barros", "Bergman", "Castellan", "Dahl", "Demir", "Eklund", "Farkas", "Ferrante", "Golub",
    "Haddad", "Holm", "Ilves", "Jansson", "Kaplan", "Kovac", "Lindqvist", "Marchetti", "Moreau", "Novak", "Okafor",
    "Petrov", "Quist", "Radu", "Salazar", "Sandoval", "Tanaka", "Ulrich", "Varga", "Weiss", "Zelenka",
)  # fmt: skip


class Cast(NamedTuple):
    """Who lives in the world."""

    countries: list[str]
    universities: list[str]
    companies: list[str]
    offices: list[str]
    people: list[str]


def make_cast(chance: RandomStream, people: int = 92) -> Cast:
    """The fixed places and ``people`` persons with different names."""
    names: dict[str, None] = {}
    while len(names) < people:
        names[f"{chance.pick(_FIRST)} {chance.pick(_LAST)}"] = None
    return Cast(list(COUNTRIES), list(UNIVERSITIES), list(COMPANIES), list(OFFICES), list(names))
