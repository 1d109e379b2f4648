type Body = Record<string, unknown>

/** Fields that only chat completions have. */
const chatFields: ReadonlySet<string> = new Set([
  'n',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'seed',
  'functions',
  'function_call',
  'store',
  'modalities',
  'audio',
  'prediction',
  'moderation',
  'x_unknown',
  'top_k',
  'thinking',
])

/** A body without what only chat completions have, so that a reasoning model of OpenAI is called by its other API. */
export function withoutChatFields(body: Body): Body {
  const fields = Object.entries(body).filter(([name]) => !chatFields.has(name))
  const messages = (body.messages as readonly Body[])
    .filter(message => message.role !== 'function' && !('audio' in message) && !('function_call' in message))
    .map(({ name, ...message }) => ({
      ...message,
      ...(message.role === 'tool' && { name }),
      ...(Array.isArray(message.content) && {
        content: (message.content as readonly Body[]).filter(({ type }) => type !== 'input_audio'),
      }),
    }))
  return { ...Object.fromEntries(fields), messages }
}
