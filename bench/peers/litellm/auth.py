# One key, as a digest, with limits that are counted in memory and never reached.
import hashlib

from fastapi import HTTPException
from litellm.proxy._types import UserAPIKeyAuth

USERS = {hashlib.sha256(b"sk-ann").hexdigest(): "ann"}


async def user_api_key_auth(request, api_key: str) -> UserAPIKeyAuth:
    user = USERS.get(hashlib.sha256(api_key.encode()).hexdigest())
    if user is None:
        raise HTTPException(status_code=401, detail="invalid key")
    return UserAPIKeyAuth(
        api_key=api_key,
        user_id=user,
        rpm_limit=60_000_000,
        tpm_limit=60_000_000_000,
        max_parallel_requests=10_000,
    )
