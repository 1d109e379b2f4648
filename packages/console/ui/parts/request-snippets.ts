const content = 'Hello!'

/** A chat completion by curl. */
export function curlSnippet(baseUrl: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content }] })
  return `curl ${quoted(`${baseUrl}/chat/completions`)} \\
  -H "Authorization: Bearer $SLUICE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(body)}`
}

/** The same by the OpenAI SDK. */
export function sdkSnippet(baseUrl: string, model: string): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: process.env.SLUICE_API_KEY,
})
const completion = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: 'user', content: ${JSON.stringify(content)} }],
})
console.log(completion.choices[0].message.content)`
}

/** As one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
