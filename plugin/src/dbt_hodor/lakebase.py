"""A Lakebase login by Databricks' Python SDK, for a service whose own SDK lacks the call.

The SDK finds its credentials by its own chain (environment, config file, the job's identity). The token goes to the service
over the pipe and nowhere else.
"""

from __future__ import annotations

from typing import Any


def credential(endpoint: str) -> dict[str, Any]:
    """Host, user and a token of one hour for an endpoint path (projects/P/branches/B/endpoints/E). Raises."""
    try:
        from databricks.sdk import WorkspaceClient
    except ImportError:
        raise RuntimeError("hodor_endpoint needs Databricks' SDK for Python: pip install 'databricks-sdk>=0.81'") from None
    workspace = WorkspaceClient()
    status = workspace.postgres.get_endpoint(name=endpoint).status
    if status is None or status.hosts is None or not status.hosts.host:
        raise RuntimeError(f"the endpoint {endpoint} has no host yet")
    login = workspace.postgres.generate_database_credential(endpoint=endpoint)
    return {
        "host": status.hosts.host,
        "user": workspace.current_user.me().user_name,
        "token": login.token,
        "expires_ms": expiry_ms(login.expire_time),
    }


def expiry_ms(when: Any) -> int | None:
    """Epoch milliseconds of a protobuf Timestamp or a datetime; None where the SDK names no time."""
    if when is None:
        return None
    if hasattr(when, "ToMilliseconds"):
        return when.ToMilliseconds()
    return round(when.timestamp() * 1000)
