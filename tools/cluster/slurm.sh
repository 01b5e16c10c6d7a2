#!/usr/bin/env bash
# Makes a planned world with Slurm: each task of the array makes one equal share of the tiles. What exists is skipped, so
# that the same commands resume.
#
#   export PLAN=/shared/world          # where `upland plan --into` has written the plan
#   base=$(sbatch --parsable --array=0 --cpus-per-task=16 --mem=12G --export=ALL,PASS=base slurm.sh)
#   tiles=$(sbatch --parsable --array=0-99 --dependency=afterok:"$base" --export=ALL,PASS=heights slurm.sh)
#   sbatch --array=0 --dependency=afterok:"$tiles" --export=ALL,PASS=index slurm.sh
#
# A plan without the pass `base` begins with the tiles; one with colours needs PASS=colours between them and the index.
#SBATCH --job-name=upland
#SBATCH --cpus-per-task=1
#SBATCH --mem=1200M
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=upland-%A-%a.log
set -euo pipefail

: "${PLAN:?set PLAN to the place of the plan}"
: "${PASS:=heights}"

# As many threads as the task has cores.
export RAYON_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}

# On a node that is taken away, the process ends and removes what it has half written; Slurm starts the task again.
exec upland work --plan "$PLAN" --pass "$PASS" --share "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
