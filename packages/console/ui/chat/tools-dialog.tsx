import { useLayoutEffect, useRef } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import type { ChatTool } from './chat-types.ts'
import { schemaProblem } from './tool-problem.ts'

const newTool: ChatTool = {
  name: '',
  description: '',
  parameters: `{
  "type": "object",
  "properties": {
    "city": { "type": "string" }
  },
  "required": ["city"]
}`,
}

/** The tools that the model may call, each with the JSON Schema of its arguments. */
export function ToolsDialog({
  tools,
  onChange,
  onClose,
}: {
  tools: readonly ChatTool[]
  onChange(tools: readonly ChatTool[]): void
  onClose(): void
}) {
  const box = useRef<HTMLDivElement>(null)
  const count = useRef(tools.length)
  useLayoutEffect(() => {
    const fields = box.current?.querySelectorAll<HTMLElement>('.tool-name, .add')
    if (tools.length > count.current) fields?.[tools.length - 1]?.focus()
    else if (tools.length < count.current) fields?.[tools.length]?.focus()
    count.current = tools.length
  }, [tools.length])
  const change = (at: number, next: Partial<ChatTool>) =>
    onChange(tools.map((tool, index) => (index === at ? { ...tool, ...next } : tool)))
  return (
    <Dialog title="Tools" onClose={onClose}>
      <div class="stack" ref={box}>
        <p class="muted small">
          The model may call these functions. The calls are shown in the conversation, and you type their
          results.
        </p>
        {tools.map((tool, at) => (
          <ToolFields
            key={at}
            tool={tool}
            number={at + 1}
            onChange={next => change(at, next)}
            onRemove={() => onChange(tools.filter((_, index) => index !== at))}
          />
        ))}
        <div class="row">
          <button class="button add" type="button" onClick={() => onChange([...tools, newTool])}>
            Add a tool
          </button>
          <button class="button primary push" type="button" onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Dialog>
  )
}

function ToolFields({
  tool: { name, description, parameters },
  number,
  onChange,
  onRemove,
}: {
  tool: ChatTool
  number: number
  onChange(next: Partial<ChatTool>): void
  onRemove(): void
}) {
  const problem = schemaProblem(parameters)
  const problemId = `schema-problem-${number}`
  return (
    <fieldset class="tool">
      <legend class="hidden">Tool {number}</legend>
      <div class="pair">
        <label class="field">
          <span>Name</span>
          <input
            class="tool-name"
            autocomplete="off"
            spellcheck={false}
            placeholder="get_weather"
            value={name}
            onInput={event => onChange({ name: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Description</span>
          <input
            autocomplete="off"
            placeholder="Returns the weather in a city"
            value={description}
            onInput={event => onChange({ description: event.currentTarget.value })}
          />
        </label>
      </div>
      <label class="field">
        <span>Parameters (JSON Schema)</span>
        <textarea
          class="code-field"
          rows={7}
          spellcheck={false}
          value={parameters}
          aria-invalid={problem !== undefined}
          aria-describedby={problemId}
          onInput={event => onChange({ parameters: event.currentTarget.value })}
        />
      </label>
      <p id={problemId} class={problem === undefined ? 'muted small' : 'bad-text small'} role="status">
        {problem === undefined ? 'Valid.' : `Not usable: ${problem}`}
      </p>
      <div class="row">
        <button
          class="button"
          type="button"
          aria-disabled={problem !== undefined}
          onClick={() => {
            if (problem === undefined)
              onChange({ parameters: JSON.stringify(JSON.parse(parameters), null, 2) })
          }}
        >
          Format
        </button>
        <button class="button quiet" type="button" aria-label={`Remove tool ${number}`} onClick={onRemove}>
          Remove
        </button>
      </div>
    </fieldset>
  )
}
