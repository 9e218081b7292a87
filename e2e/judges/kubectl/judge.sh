#!/usr/bin/env bash
# Runs kubectl against a server: judge.sh KUBECONFIG
# Prints one line per command, `ok COMMAND` or `not ok COMMAND: OUTPUT`, and exits with 1 if one failed. A command after `!` must
# fail.
set -uo pipefail
export KUBECONFIG=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 2
failed=0

cat >pod.yaml <<'YAML'
apiVersion: v1
kind: Pod
metadata: { name: solo, labels: { app: solo } }
spec: { containers: [{ name: main, image: nginx }] }
YAML
cat >map.yaml <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, labels: { app: web } }
data: { region: eu, tier: gold }
YAML
sed 's/gold/silver/' map.yaml >map2.yaml
cat >app.yaml <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: nginx:1 }] }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
YAML
cat >crd.yaml <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: boats.kubectl.example.com }
spec:
  group: kubectl.example.com
  scope: Namespaced
  names: { plural: boats, singular: boat, kind: Boat, shortNames: [bt] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {}, scale: { specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas } }
      additionalPrinterColumns: [{ name: Sails, type: integer, jsonPath: .spec.sails }]
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: { sails: { type: integer, maximum: 9 }, replicas: { type: integer } }
              x-kubernetes-validations: [{ rule: '!has(self.sails) || self.sails != 7', message: not seven }]
            status: { type: object, properties: { replicas: { type: integer } } }
YAML
boat() { printf 'apiVersion: kubectl.example.com/v1\nkind: Boat\nmetadata: { name: %s }\nspec: { sails: %s }\n' "$1" "$2"; }
boat one 3 >boat.yaml
boat bad 7 >bad-boat.yaml

while IFS= read -r line; do
  [[ -z $line || $line == '#'* ]] && continue
  want=0 command=$line
  [[ $line == '! '* ]] && want=1 command=${line#'! '}
  output=$(timeout 60 bash -c "kubectl $command" 2>&1 </dev/null)
  status=$?
  if { ((want == 0)) && ((status == 0)); } || { ((want == 1)) && ((status != 0)) && ((status != 124)); }; then
    echo "ok $line"
  else
    failed=1
    echo "not ok $line: $(tr '\n' ' ' <<<"${output:0:300}")"
  fi
done <<'COMMANDS'
version
cluster-info
api-versions
api-resources
api-resources --namespaced=false
api-resources --api-group=apps -o wide
api-resources -o name --verbs=list,get
get --raw /healthz
get --raw /readyz?verbose
get --raw /version
get --raw /openapi/v3
get --raw /apis
config view
config current-context
auth whoami
auth can-i create pods
auth can-i --list
auth can-i get pods --as jane -q || true
! auth can-i delete nodes --as jane
explain pod
explain pod.spec.containers
explain deployment.spec.strategy --recursive
explain configmaps --api-version=v1
get namespaces
get ns default -o yaml
get ns -o name
get all -A
get nodes
get events
create namespace extra
get namespace extra -o jsonpath='{.status.phase}'
label namespace extra team=blue
get ns -l team=blue
annotate namespace extra note=hello
create configmap plain --from-literal=a=1 --from-literal=b=2
get configmap plain -o yaml
get configmap plain -o json
get configmap plain -o jsonpath='{.data.a}'
get configmap plain -o custom-columns=NAME:.metadata.name,A:.data.a
get configmap plain -o go-template='{{.data.b}}'
describe configmap plain
! create configmap plain --from-literal=a=1
create configmap dry --from-literal=a=1 --dry-run=client -o yaml
create configmap dry --from-literal=a=1 --dry-run=server
! get configmap dry
patch configmap plain -p '{"data":{"c":"3"}}'
patch configmap plain --type=merge -p '{"data":{"a":null}}'
patch configmap plain --type=json -p '[{"op":"add","path":"/data/d","value":"4"}]'
! patch configmap plain --type=json -p '[{"op":"test","path":"/data/d","value":"5"}]'
apply -f map.yaml
apply -f map.yaml
diff -f map.yaml
! diff -f map2.yaml
apply -f map2.yaml
apply view-last-applied configmap settings
get configmap settings --show-labels
get configmaps -l app=web -o name
get configmaps -l 'app in (web,api)'
get configmaps --field-selector metadata.name=settings
! get configmaps --field-selector data.x=y
! get configmaps -l 'a===b'
get configmaps --chunk-size=1
get configmaps --sort-by=.metadata.name
get configmaps -A
apply --server-side -f map.yaml --force-conflicts
apply --server-side -f map.yaml
apply --server-side -f map2.yaml --field-manager=other --force-conflicts
! apply --server-side -f map.yaml --field-manager=third
get configmap settings -o yaml --show-managed-fields
label configmap settings tier=gold
label configmap settings tier=silver --overwrite
! label configmap settings tier=gold
label configmap settings tier-
annotate configmap settings note=x
annotate configmap settings note-
replace -f map.yaml
replace --force -f map.yaml
create secret generic password --from-literal=p=secret
get secret password -o jsonpath='{.data.p}'
describe secret password
create secret tls bad --cert=missing --key=missing || true
create serviceaccount robot
create token robot
create role reader --verb=get,list --resource=pods
create rolebinding reader --role=reader --serviceaccount=default:robot
auth can-i list pods --as=system:serviceaccount:default:robot
! auth can-i delete pods --as=system:serviceaccount:default:robot
create clusterrole watcher --verb=watch --resource=nodes
create clusterrolebinding watcher --clusterrole=watcher --user=jane
auth can-i watch nodes --as=jane
apply -f app.yaml
get deployments
get deployment web -o wide
describe deployment web
scale deployment web --replicas=4
get deployment web -o jsonpath='{.spec.replicas}'
! scale deployment web --replicas=1 --current-replicas=9
set image deployment/web main=nginx:2
set env deployment/web A=1
set resources deployment/web --limits=cpu=1
rollout history deployment web
rollout pause deployment web
rollout resume deployment web
rollout restart deployment web
autoscale deployment web --max=5
get hpa
expose deployment web --port=8080 --name=exposed
get services -o wide
describe service web
create job once --image=busybox
get jobs
create cronjob nightly --image=busybox --schedule='0 0 * * *'
create job from-cron --from=cronjob/nightly
create ingress web --rule='example.com/*=web:80'
get ingress
create poddisruptionbudget web --selector=app=web --min-available=1
get pdb
create quota limits --hard=configmaps=100
create priorityclass high --value=1000
apply -f pod.yaml
get pods
get pod solo -o wide
describe pod solo
label pod solo extra=yes
wait --for=jsonpath='{.status.phase}'=Pending pod/solo --timeout=5s
! wait --for=condition=Ready pod/solo --timeout=1s
! logs missing
get pods -w --request-timeout=1s || true
delete pod solo --wait
apply -f crd.yaml
wait --for=condition=Established crd/boats.kubectl.example.com --timeout=30s
explain boat.spec
apply -f boat.yaml
! apply -f bad-boat.yaml
get boats
get bt one -o yaml
scale boat one --replicas=2
patch boat one --type=merge -p '{"spec":{"sails":5}}'
! patch boat one --type=merge -p '{"spec":{"sails":70}}'
patch boat one --subresource=status --type=merge -p '{"status":{"replicas":2}}'
delete boat one
delete -f crd.yaml --wait --timeout=30s
! get boats
delete -f app.yaml
delete configmaps --all
delete configmap plain --ignore-not-found
! delete configmap plain
delete namespace extra --wait --timeout=30s
COMMANDS
exit "$failed"
