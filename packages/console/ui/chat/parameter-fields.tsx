import { chatDialects } from './chat-dialects.ts'
import type { ChatOptions } from './chat-types.ts'
import type { OptionalParameter } from './dialects/chat-dialect.ts'

/** The parameters of a request. Those that its API does not have cannot be set. */
export function ParameterFields({
  options,
  onChange,
}: {
  options: Omit<ChatOptions, 'model'>
  onChange(options: Partial<ChatOptions>): void
}) {
  const { lacks, maxTemperature, efforts, label } = chatDialects[options.dialect]
  const lacksIt = (name: OptionalParameter) => (lacks as readonly string[]).includes(name)
  const lacking = `not in ${label}`
  return (
    <>
      <div class="pair">
        <NumberField
          label="Temperature"
          value={options.temperature}
          max={String(maxTemperature)}
          onInput={temperature => onChange({ temperature })}
        />
        <NumberField
          label="Max tokens"
          value={options.maxTokens}
          min="1"
          step="1"
          onInput={maxTokens => onChange({ maxTokens })}
        />
      </div>
      <div class="pair">
        <NumberField
          label="Top P"
          value={options.topP}
          max="1"
          step="0.05"
          onInput={topP => onChange({ topP })}
        />
        <NumberField
          label="Seed"
          value={lacksIt('seed') ? '' : options.seed}
          min=""
          step="1"
          lacking={lacksIt('seed') ? lacking : undefined}
          onInput={seed => onChange({ seed })}
        />
      </div>
      <div class="pair">
        <label class="field">
          <span>Reasoning effort</span>
          <select
            value={efforts.includes(options.effort) ? options.effort : ''}
            onChange={event => onChange({ effort: event.currentTarget.value })}
          >
            <option value="">default</option>
            {efforts.map(effort => (
              <option key={effort}>{effort}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Stop sequences</span>
          <textarea
            rows={1}
            placeholder={lacksIt('stop') ? lacking : 'one per line'}
            disabled={lacksIt('stop')}
            value={lacksIt('stop') ? '' : options.stop}
            onInput={event => onChange({ stop: event.currentTarget.value })}
          />
        </label>
      </div>
    </>
  )
}

function NumberField({
  label,
  value,
  min = '0',
  max,
  step = '0.1',
  lacking,
  onInput,
}: {
  label: string
  value: string
  min?: string
  max?: string
  step?: string
  /** Why it cannot be set. */
  lacking?: string | undefined
  onInput(value: string): void
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        min={min}
        max={max}
        step={step}
        placeholder={lacking ?? 'model default'}
        disabled={lacking !== undefined}
        value={value}
        onInput={event => onInput(event.currentTarget.value)}
      />
    </label>
  )
}
