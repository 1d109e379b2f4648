import { type Answered, nothingSaid } from '../said.ts'

// What a recording of the Responses API says, read as plainly as possible and by nothing of the project. Its `finish` is the status.

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was recorded
type Loose = any

/** What the items of a recorded stream say at their end. */
export function recordedEvents(bytes: Uint8Array): Answered {
  const events = Buffer.from(bytes)
    .toString()
    .split(/\r\n|\r|\n/)
    .flatMap(line => (/^data: ?\{/.test(line) ? [JSON.parse(line.slice(5)) as Loose] : []))
  const { response } = events.findLast(({ type }) => /^response\.(?:completed|incomplete)$/.test(type))
  return answeredBy(response.output, response)
}

/** What a recorded response says. */
export function recordedResponse(bytes: Uint8Array): Answered {
  const response = JSON.parse(Buffer.from(bytes).toString()) as Loose
  return answeredBy(response.output, response)
}

function answeredBy(output: Loose[], { status, usage }: Loose): Answered {
  const said = nothingSaid()
  for (const item of output) {
    for (const part of item.type === 'message' ? item.content : []) {
      said.text += part.text ?? ''
      said.refusal += part.refusal ?? ''
    }
    if (item.type === 'function_call' || item.type === 'custom_tool_call')
      said.calls.push({ id: item.call_id, name: item.name, arguments: item.arguments ?? item.input })
  }
  said.finish = status
  return {
    choices: [said],
    usage: usage && { prompt: usage.input_tokens, completion: usage.output_tokens },
    error: false,
  }
}
