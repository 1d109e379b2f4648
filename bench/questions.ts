// What clients ask. Every question is one that all servers answer alike.

/** A gateway's caller; a bare proxy does not look at it. */
export const asAnn = { authorization: 'Bearer sk-ann' }
export const path = '/v1/chat/completions'

/** 230 bytes, as most questions are. */
export const small = JSON.stringify({
  model: 'gpt-4o',
  messages: [
    { role: 'system', content: 'You are a helpful assistant that answers in one short sentence.' },
    { role: 'user', content: 'What is 12 * 7? Say it in words and in figures, please.' },
  ],
  temperature: 0.2,
  max_completion_tokens: 64,
})

/** The same with a value that redaction finds; and a conversation of 100 kB with one in each of its 40 messages. */
export const smallWithEmail = withEmails(small)
export const middleWithEmails = withEmails(conversationOf(100_000, 40))

/** A body of 1 MB: a long conversation. */
export const large = conversationOf(1_000_000, 200)

export const messagesPath = '/v1/messages'

/** The same conversation for the Messages API, to a model whose vendor speaks it. */
export const largeMessages = messagesOf(large)

export function streamedMessages(model: string): string {
  const messages = [{ role: 'user', content: 'Tell me a story of 199 words.' }]
  return JSON.stringify({ model, max_tokens: 1_000, messages, stream: true })
}

/** System messages are a field of their own there. */
function messagesOf(chat: string): string {
  const { messages } = JSON.parse(chat) as { messages: readonly { role: string; content: string }[] }
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []))
  return JSON.stringify({
    model: 'claude',
    max_tokens: 1_000,
    ...(system.length > 0 && { system: system.join('\n') }),
    messages: messages.filter(({ role }) => role !== 'system'),
  })
}

/** Each message ends with an email address of its own. */
function withEmails(chat: string): string {
  const { messages, ...others } = JSON.parse(chat) as { messages: readonly { content: string }[] }
  const named = messages.map((message, at) => ({
    ...message,
    content: `${message.content} Write to ann${at}@example.com.`,
  }))
  return JSON.stringify({ ...others, messages: named })
}

export function streamed(content: string): string {
  const messages = [{ role: 'user', content }]
  return JSON.stringify({ model: 'gpt-4o', messages, stream: true, stream_options: { include_usage: true } })
}

/** A conversation of so many messages, of `bytes` bytes in all or a little less. */
export function conversationOf(bytes: number, messages: number): string {
  const line = 'The quick brown fox said: "It\'s 12 degrees", and went on to the river.\n'
  const empty = (content: string) =>
    JSON.stringify({
      model: 'gpt-4o',
      messages: Array.from({ length: messages }, (_, at) => ({
        role: roleOf(at, messages),
        content,
      })),
    })
  const each = Math.max(Math.floor((bytes - empty('').length) / messages), 1)
  const lines = Math.ceil(each / JSON.stringify(line).length) + 1
  let content = line.repeat(lines).slice(0, each)
  // Quotes and line ends take two bytes each when they are written.
  while (JSON.stringify(content).length - 2 > each) content = content.slice(0, -1)
  return empty(content)
}

/** The user has the last word, and the system, if anybody, the first. */
function roleOf(at: number, messages: number): string {
  if ((messages - at) % 2 === 1) return 'user'
  return at === 0 ? 'system' : 'assistant'
}
