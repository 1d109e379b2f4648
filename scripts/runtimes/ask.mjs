/** Asks for a chat completion: `fields` over a short question to the model in process, or a body's own text. */
export function ask({ baseURL }, fields = {}, { key = 'sk-test', signal } = {}) {
  const messages = [{ role: 'user', content: 'Say something about water.' }]
  return fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: typeof fields === 'string' ? fields : JSON.stringify({ model: 'demo', messages, ...fields }),
    signal,
  })
}

/** What asks the vendor on loopback, which does as it is told. */
export const there = (content, more) => ({ model: 'there', messages: [{ role: 'user', content }], ...more })
