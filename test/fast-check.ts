import fc from 'fast-check';

/**
 * fast-check with the seed of the suite (`FC_SEED`). The fast and the slow suite have one, so that their cases are the
 * same each time and a red test is about the change that it is red on. The soak suite has none and draws new cases each
 * time; a failure names its seed.
 */
if (process.env.FC_SEED !== undefined) fc.configureGlobal({ seed: Number(process.env.FC_SEED) });

export default fc;
