import type { LossHints } from '../reading.ts'

const guardrails = {
  why: 'There are no guardrails.',
  mend: 'Wrap the gateway in your own code: docs/custom-gateway.md shows where.',
}

/** What Portkey has and Sluice has not, or has elsewhere, by where it stands. */
export const portkeyLosses: LossHints = {
  input_guardrails: guardrails,
  output_guardrails: guardrails,
  before_request_hooks: guardrails,
  after_request_hooks: guardrails,
  forward_headers: {
    why: "A caller's headers never reach a vendor.",
    mend: 'Give the provider headers of its own.',
  },
  'retry.on_status_codes': {
    why: 'What is sent again after which failure is fixed.',
    mend: 'See the table in docs/routing.md.',
  },
  'targets[].retry': {
    why: 'Repeats are those of the service and not of a place.',
    mend: 'Set maxAttempts and retry.',
  },
  'targets[].cache': {
    why: 'The cache is that of the service and not of a place.',
    mend: 'Set cache.',
  },
  'targets[].request_timeout': {
    why: 'Deadlines are those of the service and not of a place.',
    mend: 'Set timeouts.firstByteMs and timeouts.responseMs.',
  },
  'targets[].input_guardrails': guardrails,
  'targets[].output_guardrails': guardrails,
  metadata: {
    why: 'Requests carry no metadata of the configuration.',
    mend: 'Give keys tags.',
  },
}
