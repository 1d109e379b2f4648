/** The first model that is no pattern; a placeholder if the gateway lists none. */
export function firstModel(models: readonly string[]): string {
  return models.find(model => !model.includes('*')) ?? 'your-model'
}

/** A module for Node that sends a request with the OpenAI SDK. */
export function sdkSnippet(baseURL: string, model: string): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({
  apiKey: process.env.SLUICE_API_KEY,
  baseURL: ${JSON.stringify(baseURL)},
})

const completion = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(completion.choices[0].message.content)
`
}
