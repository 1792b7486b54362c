from __future__ import annotations

import httpx


def test_every_route_is_described_with_its_errors(client: httpx.Client) -> None:
    document = client.get("/api/v1/openapi.json").json()
    assert set(document["paths"]) == {
        "/api/v1/predict",
        "/api/v1/explain",
        "/api/v1/what-if",
        "/api/v1/why",
        "/api/v1/support",
        "/api/v1/displacement",
        "/api/v1/bulk",
        "/api/v1/sweep",
        "/api/v1/explain.html",
        "/api/v1/models",
        "/api/v1/model",
        "/api/v1/search",
        "/api/v1/facts",
        "/api/v1/entity",
        "/api/v1/timeline",
        "/api/v1/questions/examples",
        "/api/v1/questions/random",
        "/health",
        "/ready",
        "/metrics",
    }
    for path, methods in document["paths"].items():
        for operation in methods.values():
            assert operation["summary"], path
            if path.startswith("/api"):
                shape = operation["responses"]["422"]["content"]["application/json"]["schema"]
                assert shape == {"$ref": "#/components/schemas/ErrorReply"}
                assert {"401", "413", "503", "504"} <= set(operation["responses"])
    assert "ValidationError" not in document["components"]["schemas"]


def test_the_documents_are_described_by_their_dataclasses(client: httpx.Client) -> None:
    described = client.get("/api/v1/openapi.json").json()
    schemas = described["components"]["schemas"]
    assert schemas["Document"]["properties"]["schema"] == {"const": "tgap.explanation/3"}
    assert schemas["Prediction"]["properties"]["schema"] == {"const": "tgap.prediction/1"}
    body = described["paths"]["/api/v1/explain"]["post"]["requestBody"]["content"]["application/json"]["example"]
    found = client.post("/api/v1/explain", json=body)
    assert found.status_code == 200
    document = found.json()
    assert set(document) == set(schemas["Document"]["properties"])
    assert set(document["question"]) == set(schemas["Question"]["properties"])
    assert set(document["steps"][0]) == set(schemas["StepTable"]["properties"])


def test_every_example_works_as_given(client: httpx.Client) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    tried = []
    for path, methods in paths.items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
            query = {part["name"]: part["example"] for part in operation.get("parameters", []) if "example" in part}
            if method == "post":
                assert body is not None, path
            reply = client.request(method, path, json=body, params=query)
            assert reply.status_code == 200, (path, reply.text)
            tried.append(path)
    assert len(tried) == len(paths)
