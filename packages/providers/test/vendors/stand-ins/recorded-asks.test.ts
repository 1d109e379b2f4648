import { describe, expect, it } from 'vitest'
import { present, recordedAsks } from '../replay/recordings.ts'
import { checkMessages } from './anthropic.ts'
import { checkConverse } from './bedrock.ts'
import { Fault } from './fault.ts'
import { checkGenerate } from './gemini.ts'
import { checkVertexGenerate } from './vertex.ts'

const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const nova = 'amazon.nova-lite-v1:0'
const checks: Partial<Record<string, (body: unknown, name: string) => void>> = {
  anthropic: checkMessages,
  bedrock: (body, name) => checkConverse(body, /thinking|redacted|cache/.test(name) ? claude : nova),
  gemini: (body, name) =>
    checkGenerate(body, /\/thinking/.test(name) ? 'gemini-3-flash-preview' : 'gemini-2.5-flash'),
  vertex: body => checkVertexGenerate(body, 'gemini-2.5-flash'),
}

/** What is refused, and why: the vendor refused it too, or the stand-in has no such feature. */
const refused: Readonly<Record<string, RegExp>> = {
  // Refused by the vendor too.
  'anthropic/error-effort': /does not support effort level 'xhigh'/,
  'anthropic/error-not-found': /^model: claude-sonet-4-5$/,
  'anthropic/error-temperature': /^temperature: range: 0..1$/,
  'vertex/error-temperature': /temperature/,
  // Not served here: other models, and tools that the vendor runs itself.
  'anthropic/cache-hit-stream': /^model: claude-3-5-sonnet/,
  'anthropic/pause-turn': /input_schema: Field required/,
  'anthropic/tool-result-turn': /'server_tool_use'/,
  'bedrock/converse-guardrail': /exactly one of/,
  'bedrock/converse-stream-citations': /exactly one of toolSpec/,
  'bedrock/converse-stream-guardrail': /exactly one of/,
  'bedrock/invoke-stream-anthropic': /type: Extra inputs/,
  'gemini/code-execution-stream': /functionDeclarations: Field required/,
  'gemini/grounding': /functionDeclarations: Field required/,
  'gemini/grounding-stream': /functionDeclarations: Field required/,
  'vertex/model-armor-prompt-blocked': /modelArmorConfig/,
  'vertex/model-armor-response-blocked': /modelArmorConfig/,
  // Names in another spelling, which providers here do not use.
  'bedrock/converse-stream-thinking': /reasoning_config/,
  'gemini/pdf-in': /exactly one of/,
  'gemini/text-stream-json-array': /exactly one of/,
  // Signatures that the vendor made, and its stand-in did not.
  'gemini/function-call-stream': /Corrupted thought signature/,
  'gemini/tool-result-turn': /Corrupted thought signature/,
}

describe.skipIf(!present)('what vendors took, their stand-ins take', () => {
  const asks = recordedAsks.filter(({ vendor }) => checks[vendor] !== undefined)

  it.each(asks)('$name', ({ vendor, name, body }) => {
    let fault: string | undefined
    try {
      checks[vendor]?.(body, name)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      fault = error.message
    }
    if (refused[name] === undefined) expect(fault).toBeUndefined()
    else expect(fault).toMatch(refused[name])
  })
})
