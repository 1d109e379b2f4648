import { useState } from 'preact/hooks'
import { useSession } from '../session/session.ts'
import { type ChatDialectName, chatDialects } from './chat-dialects.ts'
import type { ChatOptions } from './chat-types.ts'
import { ParameterFields } from './parameter-fields.tsx'
import { ToolsDialog } from './tools-dialog.tsx'

/** The models, the parameters, the tools and the caller of a chat. */
export function ChatSettings({
  options,
  models,
}: {
  options: Omit<ChatOptions, 'model'>
  /** The model of each side. */
  models: readonly string[]
}) {
  const { about, chat } = useSession()
  const [showsTools, setShowsTools] = useState(false)
  const [first = '', second] = models
  const another = about.models.find(model => model !== first) ?? first
  const { tools } = options
  return (
    <form class="chat-settings" autocomplete="off" onSubmit={event => event.preventDefault()}>
      <div class="field inline grow">
        <label for="model">Model</label>
        <ModelSelect id="model" value={first} onChange={model => chat.choose({ model })} />
      </div>
      {second !== undefined && (
        <div class="field inline grow">
          <label for="compared-model">
            and<span class="hidden">, the compared model</span>
          </label>
          <ModelSelect id="compared-model" value={second} onChange={chat.compare} />
        </div>
      )}
      <div class="chat-buttons">
        <button
          class="button quiet"
          type="button"
          aria-pressed={second !== undefined}
          disabled={about.models.length === 0}
          onClick={() => chat.compare(second === undefined ? another : undefined)}
        >
          Compare
        </button>
        <button class="button quiet" type="button" onClick={() => setShowsTools(true)}>
          {tools.length === 0 ? 'Tools' : `Tools (${tools.length})`}
        </button>
        <details class="chat-options" open={!about.chat}>
          <summary>Options</summary>
          <div class="card stack">
            <label class="field">
              <span>API</span>
              <select
                value={options.dialect}
                onChange={event => chat.choose({ dialect: event.currentTarget.value as ChatDialectName })}
              >
                {Object.entries(chatDialects).map(([name, { label }]) => (
                  <option key={name} value={name}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
            <label class="field">
              <span>System prompt</span>
              <textarea
                rows={2}
                value={options.system}
                onInput={event => chat.choose({ system: event.currentTarget.value })}
              />
            </label>
            <ParameterFields options={options} onChange={chat.choose} />
            <label class="field">
              <span>API key of a caller</span>
              <input
                type="password"
                autocomplete="off"
                placeholder={about.chat ? 'optional' : 'required'}
                value={options.callerKey}
                onInput={event => chat.choose({ callerKey: event.currentTarget.value })}
              />
              <small class="muted">
                {about.chat
                  ? 'Tests what that caller may use. Without a key, requests count as the caller “console”. '
                  : 'This console has no key of its own for chats. '}
                The key stays in this tab.
              </small>
            </label>
          </div>
        </details>
      </div>
      {showsTools && (
        <ToolsDialog
          tools={tools}
          onChange={changed => chat.choose({ tools: changed })}
          onClose={() => setShowsTools(false)}
        />
      )}
    </form>
  )
}

function ModelSelect({ id, value, onChange }: { id: string; value: string; onChange(model: string): void }) {
  const { models } = useSession().about
  // A recorded request may name a model of a pattern, or one that is gone.
  const known = value === '' || models.includes(value) ? models : [value, ...models]
  return (
    <select id={id} value={value} onChange={event => onChange(event.currentTarget.value)}>
      {known.map(model => (
        <option key={model} value={model}>
          {model}
        </option>
      ))}
    </select>
  )
}
