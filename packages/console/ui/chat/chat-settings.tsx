import { useSession } from '../session/session.ts'
import { type ChatDialectName, chatDialects } from './chat-dialects.ts'
import type { ChatOptions } from './chat-types.ts'

/** The model, the parameters and the caller of a chat. */
export function ChatSettings({
  options,
  onChange,
}: {
  options: ChatOptions
  onChange(options: Partial<ChatOptions>): void
}) {
  const { about } = useSession()
  return (
    <form class="chat-settings" autocomplete="off" onSubmit={event => event.preventDefault()}>
      <label class="field inline grow">
        <span>Model</span>
        <select value={options.model} onChange={event => onChange({ model: event.currentTarget.value })}>
          {about.models.map(model => (
            <option key={model} value={model}>
              {model}
            </option>
          ))}
        </select>
      </label>
      <details class="chat-options" open={!about.chat}>
        <summary>Options</summary>
        <div class="card stack">
          <label class="field">
            <span>API</span>
            <select
              value={options.dialect}
              onChange={event => onChange({ dialect: event.currentTarget.value as ChatDialectName })}
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
              onInput={event => onChange({ system: event.currentTarget.value })}
            />
          </label>
          <div class="pair">
            <label class="field">
              <span>Temperature</span>
              <input
                type="number"
                min="0"
                max="2"
                step="0.1"
                placeholder="model default"
                value={options.temperature}
                onInput={event => onChange({ temperature: event.currentTarget.value })}
              />
            </label>
            <label class="field">
              <span>Max tokens</span>
              <input
                type="number"
                min="1"
                step="1"
                placeholder="model default"
                value={options.maxTokens}
                onInput={event => onChange({ maxTokens: event.currentTarget.value })}
              />
            </label>
          </div>
          <label class="field">
            <span>API key of a caller</span>
            <input
              type="password"
              autocomplete="off"
              placeholder={about.chat ? 'optional' : 'required'}
              value={options.callerKey}
              onInput={event => onChange({ callerKey: event.currentTarget.value })}
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
    </form>
  )
}
