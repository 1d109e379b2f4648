import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { addresses, type HostName, hostNames, type PortName } from './addresses.ts'

const run = promisify(execFile)

/** What happens to frames from one host to another. */
export interface LinkFault {
  readonly delayMs?: number
  /** The delay is uniform between `delayMs - jitterMs` and `delayMs + jitterMs`. */
  readonly jitterMs?: number
  /** The share of frames that are lost; 1 cuts the link. */
  readonly loss?: number
}

export interface FrameCounts {
  readonly passed: number
  readonly delayed: number
  readonly lost: number
}

/**
 * Hosts as network namespaces, each with its own device and address, on one switch. This process is a host too: `client`.
 * It must run in a network namespace and a mount namespace of its own, which the kernel removes with the last process.
 */
export class Network {
  readonly #switch: ChildProcess
  readonly #answers: AsyncIterator<string>
  #last: Promise<unknown> = Promise.resolve()

  private constructor(child: ChildProcess) {
    this.#switch = child
    this.#answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  }

  static async start(seed: number): Promise<Network> {
    const ports: PortName[] = ['client', ...hostNames]
    const child = spawn('perl', [join(import.meta.dirname, 'switch.pl'), String(seed), ...ports], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const network = new Network(child)
    const first = await network.#answers.next()
    if (first.value !== 'ready') throw new Error('The switch did not start.')
    await ip('link set lo up')
    for (const host of hostNames) {
      await ip(`netns add ${host}`)
      await ip(`link set tap-${host} netns ${host} name eth0`)
      await ip(`-n ${host} link set lo up`)
      await ip(`-n ${host} addr add ${addresses[host]}/24 dev eth0`)
      await ip(`-n ${host} link set eth0 txqueuelen 10000 up`)
    }
    await ip(`addr add ${addresses.client}/24 dev tap-client`)
    await ip('link set tap-client txqueuelen 10000 up')
    return network
  }

  /** Starts a program on a host. */
  spawn(host: HostName, command: readonly string[], options: SpawnOptions = {}): ChildProcess {
    return spawn('nsenter', [`--net=/run/netns/${host}`, '--', ...command], options)
  }

  /** Sets the fault of all frames between hosts, in both directions; without one it heals. */
  async fault(from: readonly PortName[], to: readonly PortName[], fault: LinkFault = {}): Promise<void> {
    const { delayMs = 0, jitterMs = 0, loss = 0 } = fault
    for (const one of from)
      for (const other of to) {
        await this.#command(`rule ${one} ${other} ${delayMs} ${jitterMs} ${loss}`)
        await this.#command(`rule ${other} ${one} ${delayMs} ${jitterMs} ${loss}`)
      }
  }

  async clear(): Promise<void> {
    await this.#command('clear')
  }

  /** Takes the link of a host down or up, as a cable that is pulled. */
  async link(host: HostName, state: 'down' | 'up'): Promise<void> {
    await ip(`-n ${host} link set eth0 ${state}`)
  }

  async counts(): Promise<FrameCounts> {
    const [passed = 0, delayed = 0, lost = 0] = (await this.#request('count')).split(' ').map(Number)
    return { passed, delayed, lost }
  }

  async close(): Promise<void> {
    if (this.#switch.exitCode !== null) return
    const ended = once(this.#switch, 'exit')
    this.#switch.stdin?.end()
    await ended
  }

  async #command(line: string): Promise<void> {
    const answer = await this.#request(line)
    if (answer !== 'ok') throw new Error(`The switch answered '${line}' with '${answer}'.`)
  }

  #request(line: string): Promise<string> {
    const answer = this.#last.then(async () => {
      this.#switch.stdin?.write(`${line}\n`)
      const { value, done } = await this.#answers.next()
      if (done) throw new Error('The switch has ended.')
      return String(value)
    })
    this.#last = answer.catch(() => {})
    return answer
  }
}

async function ip(args: string): Promise<void> {
  await run('ip', args.split(' '))
}
