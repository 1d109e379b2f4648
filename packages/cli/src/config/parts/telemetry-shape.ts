import type { ConsoleConfig, TelemetryConfig } from '../config.ts'
import { list, object } from '../shape/collections.ts'
import { either, just } from '../shape/either.ts'
import { choice, flag, secret, text } from '../shape/values.ts'

export const telemetryShape = object<TelemetryConfig>({
  log: {
    shape: choice('auto', 'pretty', 'json', 'off'),
    description: 'One line a request. Default `auto`: pretty on a terminal, JSON elsewhere.',
  },
  metrics: { shape: flag, description: 'Prometheus metrics at `/metrics`. Default: on.' },
  openTelemetry: {
    shape: flag,
    description: 'OpenTelemetry spans and metrics, sent as `OTEL_EXPORTER_OTLP_ENDPOINT` says. Default: off.',
  },
  tagLabels: {
    shape: list(text("a tag's name"), { max: 20, of: "tags' names" }),
    description: 'Tags of callers that become labels of metrics. Default: none.',
  },
})

export const consoleShape = either(
  [
    { when: value => value === false, shape: just(false) },
    {
      when: value => typeof value === 'object' && value !== null,
      shape: object<ConsoleConfig>({
        adminKey: {
          shape: secret(`a key of 16 characters or more, such as \${SLUICE_ADMIN_KEY}`),
          description: 'Who has it sees usage and manages keys.',
          required: true,
        },
      }),
    },
  ],
  '{ adminKey }, or false',
)
