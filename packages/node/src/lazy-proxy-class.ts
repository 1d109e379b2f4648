/**
 * Makes a class a lazy proxy of a built-in one: `instanceof` is true, and every member that the class does not
 * implement is read from a real object, which `real` creates when it is first needed.
 */
export function defineLazyProxy<T extends object>(
  own: T,
  builtIn: object,
  sample: object,
  real: (self: T) => object,
): void {
  Object.setPrototypeOf(own, builtIn)
  for (const key of Reflect.ownKeys(builtIn)) {
    if (Object.hasOwn(own, key)) continue
    const descriptor = Object.getOwnPropertyDescriptor(builtIn, key)
    if (descriptor === undefined || typeof descriptor.value === 'string') continue
    const forward = descriptor.get ? getter(key, real) : method(key, real)
    Object.defineProperty(own, key, {
      configurable: true,
      enumerable: descriptor.enumerable ?? false,
      ...forward,
    })
  }
  // Node 20 and 22 keep a built-in's inside behind symbols: with these, `new Request(proxy)` works there.
  for (const key of Object.getOwnPropertySymbols(sample)) {
    Object.defineProperty(own, key, { configurable: true, ...getter(key, real) })
  }
}

function getter<T extends object>(key: PropertyKey, real: (self: T) => object): PropertyDescriptor {
  return {
    get(this: T) {
      return Reflect.get(real(this), key)
    },
  }
}

function method<T extends object>(key: PropertyKey, real: (self: T) => object): PropertyDescriptor {
  return {
    writable: true,
    value(this: T, ...args: unknown[]) {
      const target = real(this)
      return Reflect.apply(Reflect.get(target, key), target, args)
    },
  }
}
