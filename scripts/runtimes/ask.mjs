/** Asks for a chat completion: `fields` over a short question to the model in process, or a body's own text. */
export function ask(site, fields = {}, options = {}) {
  const messages = [{ role: 'user', content: 'Say something about water.' }]
  const body = typeof fields === 'string' ? fields : JSON.stringify({ model: 'demo', messages, ...fields })
  return post(site, '/chat/completions', body, options)
}

/** Sends a body to an endpoint. */
export function post({ baseURL }, path, body, { key = 'sk-test', signal } = {}) {
  return fetch(baseURL + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
    signal,
  })
}

/** What asks the vendor on loopback, which does as it is told. */
export const there = (content, more) => ({ model: 'there', messages: [{ role: 'user', content }], ...more })
