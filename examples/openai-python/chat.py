import os

from openai import OpenAI

client = OpenAI(
    api_key=os.environ["GATEWAY_API_KEY"],
    base_url=os.environ["GATEWAY_URL"] + "/v1",
)

reply = client.chat.completions.create(
    model="sim/chat",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(reply.choices[0].message.content)
print(reply.usage.total_tokens, "tokens")
