# A line of JSON for each request.
import json
import sys

from litellm.integrations.custom_logger import CustomLogger


class Lines(CustomLogger):
    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        milliseconds = (end_time - start_time).total_seconds() * 1000
        line = {"model": kwargs.get("model"), "cost": kwargs.get("response_cost"), "ms": milliseconds}
        sys.stdout.write(json.dumps(line) + "\n")


lines = Lines()
