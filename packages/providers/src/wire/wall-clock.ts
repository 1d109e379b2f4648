/** Milliseconds since 1970, by the clock of the machine: what a provider takes where no `now` is given. */
export const wallClock = (): number => Date.now()
