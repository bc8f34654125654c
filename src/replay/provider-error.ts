import { AgentReplayError } from '../errors.ts';
import type { Excerpts } from './excerpt.ts';
import type { ProviderFailure } from './provider-failure.ts';

/** @param seen further evidence from the replay */
export function providerFailed(
  failure: ProviderFailure,
  seen: readonly string[],
  excerpts: Excerpts,
): AgentReplayError {
  const { provider, model, said } = failure;
  const names = [...(provider === undefined ? [] : [provider]), ...(model === undefined ? [] : [`model ${model}`])];
  const who = names.length === 0 ? '' : ` (${excerpts.of(names.join(', '))})`;
  return new AgentReplayError('PROVIDER_FAILED', `The model provider${who} ${excerpts.of(whatOf(failure))}.`, {
    evidence: [...(said === '' ? [] : [`it said: ${excerpts.of(said)}`]), ...seen],
    hint: nextMove(failure),
  });
}

function whatOf({ status, reason, isReached, address }: ProviderFailure): string {
  const at = address === undefined ? '' : ` at ${address}`;
  if (!isReached) return `could not be reached${at}: ${reason}`;
  return status === undefined ? `failed${at}: ${reason}` : `answered ${status}${at}`;
}

function nextMove({ isReached, isHiccup }: ProviderFailure): string {
  if (!isReached) return 'Check that the model is up and that the agent has its address.';
  if (!isHiccup)
    return "Check the provider's key, and what it may do: in CI it is a secret that the agent is to be given.";
  return 'Run again later; lower workers, or raise retries, where the provider limits the rate of requests.';
}
